"""A certificate authority for tests: real certificates in a temporary folder, good and bad ones."""

from __future__ import annotations

import ipaddress
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID


class Authority:
    """Signs certificates; `ca_file` is what a client has to trust."""

    def __init__(self, folder: Path, name: str = "Rehearsal CA") -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        builder = self._builder(self._name, self._key, expired=False)
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        self.ca_file = self._write(f"{name}.pem", builder.sign(self._key, hashes.SHA256()))

    def certificate(
        self, name: str, host: str = "127.0.0.1", expired: bool = False, client: bool = False
    ) -> tuple[Path, Path]:
        """The files of a certificate and of its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        usage = ExtendedKeyUsageOID.CLIENT_AUTH if client else ExtendedKeyUsageOID.SERVER_AUTH
        try:
            alternative: x509.GeneralName = x509.IPAddress(ipaddress.ip_address(host))
        except ValueError:
            alternative = x509.DNSName(host)
        builder = self._builder(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]), key, expired)
        builder = builder.add_extension(x509.SubjectAlternativeName([alternative]), critical=False)
        builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
        file = self._write(f"{name}.pem", builder.sign(self._key, hashes.SHA256()))
        key_file = self._folder / f"{name}.key"
        key_file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return file, key_file

    def server_context(
        self, name: str = "server", host: str = "127.0.0.1", expired: bool = False, ask_client: bool = False
    ) -> ssl.SSLContext:
        """What a server of ours needs to speak TLS; with `ask_client` it lets in only who we certified."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.certificate(name, host, expired))
        if ask_client:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(self.ca_file)
        return context

    def _builder(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, expired: bool
    ) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=10))
            .not_valid_after(now - timedelta(days=1) if expired else now + timedelta(days=10))
        )

    def _write(self, name: str, certificate: x509.Certificate) -> Path:
        file = self._folder / name
        file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        return file
