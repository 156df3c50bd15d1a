"""Real certificates and a real proxy: whom the transport trusts, how it proves itself, and which way it goes."""

from __future__ import annotations

import re
import socket
import ssl
import threading
from pathlib import Path

import pytest

from understudy.core.errors import InputError
from understudy.wire.messages import TransportError
from understudy.wire.pyreqwest_transport import open_transport
from understudy.wire.target import Tls

from .authority import Authority
from .conftest import Ask
from .hostile import HostileServer


def test_an_own_authority_is_trusted_when_it_is_named(authority: Authority, ask: Ask) -> None:
    with HostileServer(authority.server_context()) as server:
        assert ask(server.url("/echo"), tls=Tls(ca=str(authority.ca_file))).status == 200


def test_several_authorities_may_stand_in_one_file(authority: Authority, tmp_path: Path, ask: Ask) -> None:
    bundle = tmp_path / "bundle.pem"
    bundle.write_bytes(Authority(tmp_path, "Other CA").ca_file.read_bytes() + authority.ca_file.read_bytes())
    with HostileServer(authority.server_context()) as server:
        assert ask(server.url("/echo"), tls=Tls(ca=str(bundle))).status == 200


def test_an_unknown_authority_is_not_trusted_and_the_hint_names_ca(authority: Authority, ask: Ask) -> None:
    with (
        HostileServer(authority.server_context()) as server,
        pytest.raises(TransportError, match=r"comes from an authority that is not trusted: .* set ca to"),
    ):
        ask(server.url("/echo"))


@pytest.mark.parametrize("scheme", ["https", "HTTPS", "hTTps"])
def test_a_plain_server_that_leads_to_an_unknown_authority_is_not_followed(
    authority: Authority, server: HostileServer, ask: Ask, scheme: str
) -> None:
    with HostileServer(authority.server_context()) as secure:
        there = secure.url("/echo").replace("https", scheme)
        with pytest.raises(TransportError, match="comes from an authority that is not trusted"):
            ask(server.url(f"/status/302?to={there}"))
        with pytest.raises(TransportError, match="comes from an authority that is not trusted"):
            ask(there)


def test_an_expired_certificate_is_named(authority: Authority, ask: Ask) -> None:
    with (
        HostileServer(authority.server_context(expired=True)) as server,
        pytest.raises(TransportError, match="has expired"),
    ):
        ask(server.url("/echo"), tls=Tls(ca=str(authority.ca_file)))


def test_a_certificate_for_another_host_names_both(authority: Authority, ask: Ask) -> None:
    message = re.escape("is not valid for the name 127.0.0.1: it is for shop.test")
    with (
        HostileServer(authority.server_context(host="shop.test")) as server,
        pytest.raises(TransportError, match=message),
    ):
        ask(server.url("/echo"), tls=Tls(ca=str(authority.ca_file)))


@pytest.mark.parametrize("in_one_file", [True, False])
def test_a_client_certificate_opens_the_door(
    authority: Authority, tmp_path: Path, ask: Ask, in_one_file: bool
) -> None:
    certificate, key = authority.certificate("me", client=True)
    if in_one_file:
        both = tmp_path / "both.pem"
        both.write_bytes(key.read_bytes() + certificate.read_bytes())
        tls = Tls(str(authority.ca_file), client_cert=str(both))
    else:
        tls = Tls(str(authority.ca_file), str(certificate), str(key))
    with HostileServer(authority.server_context(ask_client=True)) as server:
        assert ask(server.url("/echo"), tls=tls).status == 200


def test_a_missing_client_certificate_is_hinted_at_when_the_server_just_closes(
    authority: Authority, ask: Ask
) -> None:
    with (
        HostileServer(authority.server_context(ask_client=True)) as server,
        pytest.raises(TransportError, match="set client_cert and client_key"),
    ):
        ask(server.url("/echo"), tls=Tls(str(authority.ca_file)))


def test_a_missing_client_certificate_is_named_when_the_server_says_so(
    authority: Authority, ask: Ask
) -> None:
    context = authority.server_context(ask_client=True)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def refuse() -> None:
            connection, _ = listener.accept()
            with connection, pytest.raises(ssl.SSLError):
                context.wrap_socket(connection, server_side=True)

        thread = threading.Thread(target=refuse)
        thread.start()
        with pytest.raises(TransportError, match="refused our TLS client certificate, or misses one"):
            ask(f"https://127.0.0.1:{listener.getsockname()[1]}/", tls=Tls(str(authority.ca_file)))
        thread.join()


def test_https_to_a_server_without_tls_asks_for_http(ask: Ask) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer_plainly() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

        thread = threading.Thread(target=answer_plainly)
        thread.start()
        with pytest.raises(TransportError, match="does not speak TLS: should the URL start with http://"):
            ask(f"https://127.0.0.1:{listener.getsockname()[1]}/")
        thread.join()


@pytest.mark.parametrize(
    ("content", "key", "message"),
    [
        (None, "ca", "ca cannot be read: No such file or directory"),
        (b"", "ca", "ca has no PEM block of a certificate"),
        (b"\x00\xff", "ca", "ca has no PEM block of a certificate"),
        (b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "ca", "TLS cannot be set up"),
        (None, "client_cert", "client_cert cannot be read: No such file or directory"),
        (
            b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            "client_cert",
            "no private key in it",
        ),
        (None, "client_key", "client_key is set without client_cert"),
    ],
)
def test_files_that_cannot_be_used_are_named(
    tmp_path: Path, content: bytes | None, key: str, message: str
) -> None:
    file = tmp_path / "some.pem"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InputError, match=re.escape(f"{file}: ")) as caught:
        open_transport(Tls(**{key: str(file)}))
    assert message in str(caught.value)


def test_a_folder_is_no_pem_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="ca cannot be read: Is a directory"):
        open_transport(Tls(ca=str(tmp_path)))


def test_a_key_of_another_certificate_is_named(authority: Authority) -> None:
    certificate, _ = authority.certificate("me", client=True)
    _, other_key = authority.certificate("other", client=True)
    with pytest.raises(InputError, match=r"me\.pem: the key does not belong to this certificate"):
        open_transport(Tls(client_cert=str(certificate), client_key=str(other_key)))


def test_a_proxy_forwards_plain_http(server: HostileServer, ask: Ask) -> None:
    with HostileServer() as proxy:
        assert ask(f"http://behind.invalid:{server.port}/echo", proxy=proxy.base_url).status == 200
        assert proxy.last.target == f"http://behind.invalid:{server.port}/echo"
    assert server.last.header("Via") == "hostile"


def test_a_proxy_tunnels_https(authority: Authority, ask: Ask) -> None:
    with HostileServer() as proxy, HostileServer(authority.server_context()) as server:
        tls = Tls(str(authority.ca_file))
        assert ask(server.url("/echo"), tls=tls, proxy=proxy.base_url).status == 200
        assert (proxy.last.method, proxy.last.target) == ("CONNECT", f"127.0.0.1:{server.port}")
        assert server.last.target == "/echo"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxys_credentials_are_used_and_missing_ones_named(
    server: HostileServer, authority: Authority, ask: Ask, scheme: str
) -> None:
    with (
        HostileServer(proxy_credentials="dTpw") as proxy,
        HostileServer(authority.server_context() if scheme == "https" else None) as target,
    ):
        tls = Tls(str(authority.ca_file))
        with pytest.raises(TransportError, match=f"the proxy 127.0.0.1:{proxy.port} wants credentials"):
            ask(target.url("/echo"), tls=tls, proxy=proxy.base_url)
        url = proxy.base_url.replace("//", "//u:p@")
        assert ask(target.url("/echo"), tls=tls, proxy=url).status == 200


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_is_down_is_named_without_its_password(ask: Ask, scheme: str) -> None:
    with pytest.raises(TransportError) as caught:
        ask(f"{scheme}://behind.invalid/", proxy="http://u:secret@127.0.0.1:1")
    assert str(caught.value) == (
        "connection refused by the proxy 127.0.0.1:1: is it running, and is its port right?"
    )


def test_a_proxy_that_cannot_reach_the_target_is_named(ask: Ask) -> None:
    with (
        HostileServer() as proxy,
        pytest.raises(
            TransportError, match=r"did not connect to 127\.0\.0\.1:1: is 127\.0\.0\.1:1 reachable from it"
        ),
    ):
        ask("https://127.0.0.1:1/", proxy=proxy.base_url)


@pytest.mark.parametrize(
    "proxy", ["nonsense", "127.0.0.1:3128", "ftp://127.0.0.1:1", "socks5://u:secret@h:1"]
)
def test_a_proxy_that_cannot_be_used_says_how_to_write_it(proxy: str) -> None:
    with pytest.raises(InputError, match="write it as http://host:port") as caught:
        open_transport(Tls(), proxy)
    assert "secret" not in str(caught.value)
