"""HTTP connectors beside a simulated one: urllib3 and requests are answered offline, and nothing passes silently."""

from __future__ import annotations

import contextlib
import gzip
import json
import threading
import warnings
from collections.abc import Iterator

import pytest
import requests
import urllib3
from urllib3.exceptions import (
    MaxRetryError,
    NewConnectionError,
    ProtocolError,
    ReadTimeoutError,
)
from urllib3.util import Retry

from understudy.core.errors import InputError
from understudy.simulation.http_fixtures import (
    PoolManagerDouble,
    UnansweredRequest,
    mock_http_response,
    mock_pool_manager,
)
from understudy.wire.messages import Request, Response
from understudy.wire.serving import serve

URL = "https://api.shop.test/items/1"


@pytest.fixture
def double() -> Iterator[PoolManagerDouble]:
    """A double that answers for all pools; what is left unused is not judged."""
    manager = PoolManagerDouble()
    with manager.installed():
        yield manager


class TestEveryWayToAsk:
    def test_a_pool_manager_that_was_made_before(self) -> None:
        manager = urllib3.PoolManager()
        with mock_pool_manager({f"GET {URL}": {"id": 1}}):
            assert manager.request("GET", URL).json() == {"id": 1}

    def test_urllib3_itself_a_pool_and_a_pool_by_url(self, double: PoolManagerDouble) -> None:
        double.add(f"GET {URL}", {"id": 1})
        pool = urllib3.HTTPSConnectionPool("api.shop.test")
        by_url = urllib3.connection_from_url("https://api.shop.test")
        for asked in (
            urllib3.request("GET", URL),
            pool.request("GET", "/items/1"),
            by_url.request("GET", "/items/1"),
        ):
            assert asked.json() == {"id": 1}
        assert [request.url for request in double.requests] == [URL] * 3
        assert all(("Host", "api.shop.test") in request.headers for request in double.requests)

    def test_requests_with_its_cookies_and_redirects(self, double: PoolManagerDouble) -> None:
        double.add(
            "GET https://api.shop.test/old", mock_http_response(status=302, headers={"Location": "/items/1"})
        )
        double.add(f"GET {URL}", mock_http_response({"id": 1}, headers={"Set-Cookie": "seen=yes"}))
        with requests.Session() as session:
            found = session.get("https://api.shop.test/old")
            assert (found.json(), found.url, session.cookies["seen"]) == ({"id": 1}, URL, "yes")

    def test_a_pool_keeps_its_own_retries_and_headers(self, double: PoolManagerDouble) -> None:
        double.add(f"GET {URL}", mock_http_response(status=503), {"id": 1})
        retries = Retry(1, status_forcelist=[503], backoff_factor=0)
        pool = urllib3.HTTPSConnectionPool("api.shop.test", retries=retries, headers={"X-Key": "k"})
        assert pool.urlopen("GET", "/items/1").json() == {"id": 1}
        assert all(("X-Key", "k") in request.headers for request in double.requests)

    def test_through_a_proxy_which_is_never_asked(self, double: PoolManagerDouble) -> None:
        double.queue({"n": 1}, {"n": 2})
        proxies = {"http": "http://proxy.test:3128", "https": "http://proxy.test:3128"}
        assert requests.get("http://a.test/x", proxies=proxies, timeout=5).json() == {"n": 1}
        assert requests.get("https://a.test/x", proxies=proxies, timeout=5).json() == {"n": 2}
        assert [request.url for request in double.requests] == ["http://a.test/x", "https://a.test/x"]

    def test_the_double_given_as_a_pool_manager_without_being_installed(self) -> None:
        double = PoolManagerDouble(headers={"X-Key": "k"})
        double.add(f"GET {URL}", {"id": 1})
        assert isinstance(double, urllib3.PoolManager)
        assert double.request("GET", URL).json() == {"id": 1}
        assert ("X-Key", "k") in double.requests[0].headers

    def test_no_warning_of_missing_certificates_is_given(self, double: PoolManagerDouble) -> None:
        double.add(f"GET {URL}", {})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            urllib3.PoolManager(cert_reqs="CERT_NONE").request("GET", URL)
            requests.get(URL, verify=False, timeout=5)

    def test_a_pool_with_an_open_connection_to_a_real_server_is_answered_by_the_double(self) -> None:
        asked = []

        async def app(scope, receive, send):  # type: ignore[no-untyped-def]  # an ASGI application
            asked.append(scope["path"])
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"4")]})
            await send({"type": "http.response.body", "body": b"real"})

        with serve(app) as served, urllib3.PoolManager() as manager:
            assert manager.request("GET", served.base_url + "/before").data == b"real"
            with mock_pool_manager({"/during": "double"}):
                assert manager.request("GET", served.base_url + "/during").data == b"double"
            assert manager.request("GET", served.base_url + "/after").data == b"real"
        assert asked == ["/before", "/after"]


class TestWhatWasAsked:
    def test_is_kept_with_headers_and_body_as_they_were_sent(self, double: PoolManagerDouble) -> None:
        double.add("POST https://api.shop.test:8443/items", lambda request: json.loads(request.body or b""))
        answer = urllib3.request(
            "POST", "https://api.shop.test:8443/items", json={"a": 1}, headers={"X-Key": "k"}
        )
        assert answer.json() == {"a": 1}
        [request] = double.requests
        assert (request.method, request.url) == ("POST", "https://api.shop.test:8443/items")
        assert ("Host", "api.shop.test:8443") in request.headers
        assert ("X-Key", "k") in request.headers

    def test_is_whole_if_it_was_sent_in_chunks(self, double: PoolManagerDouble) -> None:
        double.add("PUT https://api.shop.test/blob", "")
        requests.put("https://api.shop.test/blob", data=iter([b"ab", b"c" * 300]), timeout=5)
        assert double.requests[0].body == b"ab" + b"c" * 300

    def test_knows_hosts_that_are_addresses_of_ipv6(self, double: PoolManagerDouble) -> None:
        double.queue("")
        urllib3.request("GET", "http://[::1]:8080/a%20b?q=%C3%A4")
        assert double.requests[0].url == "http://[::1]:8080/a%20b?q=%C3%A4"


class TestAnswers:
    def test_one_answer_is_given_each_time_and_several_are_given_in_order(
        self, double: PoolManagerDouble
    ) -> None:
        double.add(f"GET {URL}", {"id": 1})
        double.add("GET https://api.shop.test/page", "one", "two")
        assert [urllib3.request("GET", URL).json()["id"] for _ in range(3)] == [1, 1, 1]
        assert [urllib3.request("GET", "https://api.shop.test/page").data for _ in range(2)] == [
            b"one",
            b"two",
        ]
        with pytest.raises(
            UnansweredRequest, match=r"given 2 times, and is used up\n  give more answers there"
        ):
            urllib3.request("GET", "https://api.shop.test/page")

    def test_the_most_specific_pattern_is_meant_whatever_the_order(self, double: PoolManagerDouble) -> None:
        double.add("/**", "any")
        double.add("GET https://api.shop.test/items/*", "item")
        double.add("GET https://api.shop.test/items/*?page=2", "second page")
        asked = ["https://x.test/y", URL, f"{URL}?page=2"]
        assert [urllib3.request("GET", url).data for url in asked] == [b"any", b"item", b"second page"]

    def test_what_is_queued_answers_what_no_pattern_matches_in_order(self, double: PoolManagerDouble) -> None:
        double.add(f"GET {URL}", "by pattern")
        double.queue("first")
        double.queue("second")
        asked = ["https://x.test/a", URL, "https://x.test/b"]
        assert [urllib3.request("GET", url).data for url in asked] == [b"first", b"by pattern", b"second"]
        with pytest.raises(UnansweredRequest, match="what was queued"):
            urllib3.request("GET", "https://x.test/c")

    def test_retries_and_their_statuses_are_those_of_urllib3(self, double: PoolManagerDouble) -> None:
        double.add(
            f"GET {URL}", mock_http_response(status=503), ConnectionResetError(), TimeoutError, {"id": 1}
        )
        retries = Retry(5, status_forcelist=[503], backoff_factor=0)
        assert urllib3.request("GET", URL, retries=retries).json() == {"id": 1}
        assert len(double.requests) == 4

    @pytest.mark.parametrize(
        ("error", "seen"),
        [
            (ConnectionResetError("gone"), ProtocolError),
            (TimeoutError(), ReadTimeoutError),
            (ZeroDivisionError("ours"), ZeroDivisionError),
        ],
    )
    def test_an_exception_is_met_where_urllib3_meets_it(
        self, double: PoolManagerDouble, error: Exception, seen: type[Exception]
    ) -> None:
        double.add(f"GET {URL}", error)
        with pytest.raises(seen):
            urllib3.request("GET", URL, retries=False)

    def test_a_host_that_cannot_be_reached_looks_like_one_to_requests(
        self, double: PoolManagerDouble
    ) -> None:
        double.add(f"GET {URL}", NewConnectionError(None, "no route"))  # type: ignore[arg-type]  # it has no connection
        with pytest.raises(requests.ConnectionError):
            requests.get(URL, timeout=5)
        with pytest.raises(MaxRetryError):
            urllib3.request("GET", URL, retries=1)

    def test_a_body_shorter_than_its_length_breaks_off(self, double: PoolManagerDouble) -> None:
        double.add(f"GET {URL}", mock_http_response(b"abc", headers={"Content-Length": "9"}))
        with pytest.raises(ProtocolError, match="3 bytes read, 6 more expected"):
            urllib3.request("GET", URL, retries=False)

    def test_a_body_in_chunks_is_put_together(self, double: PoolManagerDouble) -> None:
        body = b"x" * 10_000
        double.add(f"GET {URL}", mock_http_response(body, headers={"Transfer-Encoding": "chunked"}))
        assert urllib3.request("GET", URL).data == body

    @pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("GET", 204), ("GET", 304)])
    def test_no_body_is_sent_where_there_is_none(
        self, double: PoolManagerDouble, method: str, status: int
    ) -> None:
        double.add(f"{method} {URL}", mock_http_response("a body", status=status))
        answer = urllib3.request(method, URL)
        assert (answer.status, answer.data) == (status, b"")

    def test_a_response_that_was_read_before_is_given_as_it_was_read(self, double: PoolManagerDouble) -> None:
        response = mock_http_response(gzip.compress(b"text"), headers={"Content-Encoding": "gzip"})
        assert response.data == b"text"
        double.add(f"GET {URL}", response)
        assert [urllib3.request("GET", URL).data for _ in range(2)] == [b"text"] * 2

    def test_a_response_of_which_nothing_is_left_is_refused(self, double: PoolManagerDouble) -> None:
        response = mock_http_response("text")
        response.read()
        with pytest.raises(InputError, match="was read already"):
            double.add(f"GET {URL}", response)

    def test_a_function_sees_the_request_and_its_failing_is_the_test_s(
        self, double: PoolManagerDouble
    ) -> None:
        def answer(request: Request) -> Response:
            assert dict(request.headers)["X-Key"] == "right", "the key is wrong"
            return Response(200, (), b"in")

        double.add(f"GET {URL}", answer)
        assert urllib3.request("GET", URL, headers={"X-Key": "right"}).data == b"in"
        with pytest.raises(AssertionError, match="the key is wrong"):
            urllib3.request("GET", URL, headers={"X-Key": "wrong"})

    def test_threads_share_a_queue_without_giving_an_answer_twice(self, double: PoolManagerDouble) -> None:
        double.queue(*(str(number) for number in range(200)))
        seen: list[bytes] = []

        def ask() -> None:
            for _ in range(25):
                seen.append(urllib3.request("GET", URL).data)

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(map(int, seen)) == list(range(200))


class TestNothingPassesSilently:
    def test_a_request_without_an_answer_names_the_nearest_and_what_to_do(
        self, double: PoolManagerDouble
    ) -> None:
        double.add("GET https://api.shop.test/items/*", {})
        with pytest.raises(UnansweredRequest) as unanswered:
            requests.post("https://api.shop.test/items/1?token=abcdefgh12345678", timeout=5)
        said = str(unanswered.value)
        assert "no answer for POST https://api.shop.test/items/1" in said
        assert 'near: "GET https://api.shop.test/items/*" (test_http_fixtures.py:' in said
        assert "method is POST, the answer has GET" in said
        assert 'mock_pool_manager.add("POST https://api.shop.test/items/1", {...})' in said
        assert "abcdefgh12345678" not in said

    def test_a_request_without_an_answer_fails_even_if_the_code_passes_over_it(self) -> None:
        def passes_over_it() -> None:
            with mock_pool_manager(), contextlib.suppress(Exception):
                urllib3.request("GET", URL)

        with pytest.raises(AssertionError, match=r"no answer for GET https://api\.shop\.test/items/1"):
            passes_over_it()

    def test_answers_that_nobody_asked_for_fail_all_at_once(self) -> None:
        def asks_too_little() -> None:
            with mock_pool_manager({"GET https://a.test/never": {}}) as double:
                double.add("GET https://a.test/page", "one", "two", "three")
                double.add("GET https://a.test/twice", "again", times=2)
                double.queue("x", "y")
                for path in ("page", "twice", "other"):
                    urllib3.request("GET", f"https://a.test/{path}")

        with pytest.raises(AssertionError) as failed:
            asks_too_little()
        said = str(failed.value)
        assert "'GET https://a.test/never' (test_http_fixtures.py:" in said
        assert "0 of 1 answers" in said
        assert "'GET https://a.test/page' (test_http_fixtures.py:" in said
        assert "1 of 3 answers" in said
        assert said.count("1 of 2 answers") == 2
        assert "'whatever is asked'" in said

    def test_a_test_that_fails_by_itself_is_not_told_of_answers(self) -> None:
        with pytest.raises(ZeroDivisionError), mock_pool_manager({"/never": {}}):
            raise ZeroDivisionError

    def test_everything_is_put_back_whatever_happens(self) -> None:
        before = urllib3.HTTPConnectionPool.urlopen
        with pytest.raises(ZeroDivisionError), mock_pool_manager():
            raise ZeroDivisionError(urllib3.HTTPConnectionPool.urlopen is not before)
        assert urllib3.HTTPConnectionPool.urlopen is before

    def test_the_inner_of_two_doubles_answers(self) -> None:
        with mock_pool_manager({"/**": "outer"}):
            with mock_pool_manager({"/**": "inner"}):
                assert urllib3.request("GET", URL).data == b"inner"
            assert urllib3.request("GET", URL).data == b"outer"

    @pytest.mark.parametrize(
        ("pattern", "answers", "times", "said"),
        [
            ("/x", [], None, "no answer is given"),
            ("/x", ["a"], 0, "times=0 is no number"),
            ("/x", ["a", "b"], 2, "several answers and times"),
            ("GET x y", ["a"], None, "is no method and URL"),
            ("/x", [{1}], None, "is no body"),
        ],
    )
    def test_what_cannot_be_an_answer_is_refused_at_once(
        self, double: PoolManagerDouble, pattern: str, answers: list[object], times: int | None, said: str
    ) -> None:
        with pytest.raises(ValueError, match=said):
            double.add(pattern, *answers, times=times)
        double.assert_all_used()

    def test_a_pattern_that_is_there_already_is_refused_and_the_first_one_stays(
        self, double: PoolManagerDouble
    ) -> None:
        double.add(f"GET {URL}", "first")
        with pytest.raises(ValueError, match=r"has answers already \(test_http_fixtures\.py:"):
            double.add(f"GET {URL}", "second")
        assert urllib3.request("GET", URL).data == b"first"
        double.assert_all_used()

    def test_functions_that_give_functions_without_end_are_refused(self, double: PoolManagerDouble) -> None:
        def again(request: Request) -> object:
            return again

        double.add(f"GET {URL}", again)
        with pytest.raises(InputError, match="functions without end"):
            urllib3.request("GET", URL)
