"""What pyotp, another implementation of RFC 6238, makes of the second factor: sets one up through the pages of the console and
then sends the codes that pyotp computes. Prints a line for each thing that contradicts it, and nothing when all agree.

python test/verify/second-factor.py <address of the service>
"""

import html
import http.cookiejar
import json
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

import pyotp

URL = sys.argv[1]
PAGE = "/console/account/second-factor"
PASSWORD = f"seven storks {uuid.uuid4()}"
STEP = 30


def new_browser():
    return urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))


def fetch(browser, path, form=None):
    """Returns status, address after redirects, and body."""
    data = None if form is None else urllib.parse.urlencode(form).encode()
    request = urllib.request.Request(URL + path, data, {"Accept": "text/html", "Origin": URL})
    try:
        with browser.open(request, timeout=30) as response:
            return response.status, response.url.removeprefix(URL), response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, path, error.read().decode()


def send(browser, page, path, form):
    token = re.search(r'name="form_token" value="([^"]+)"', page)[1]
    return fetch(browser, path, {**form, "form_token": token})


def must(title, found, expected):
    if found != expected:
        print(f"{title}: {found!r} instead of {expected!r}")


def sign_up():
    """Returns a browser that is logged in, and the name of its account."""
    browser, name = new_browser(), f"verify-{uuid.uuid4().hex[:12]}"
    page = fetch(browser, "/console/sign-up")[2]
    terms = re.search(r'name="accepted_terms"[^>]*?value="([^"]*)"', page) or re.search(
        r'value="([^"]*)"[^>]*?name="accepted_terms"', page
    )
    form = {"username": name, "email": f"{name}@example.com", "password": PASSWORD, "accepted_terms": terms[1]}
    must("The sign-up", send(browser, page, "/console/sign-up", form)[1], "/console")
    return browser, name


def token(name, otp):
    """Returns the status of /auth/token, and the error if there is one."""
    status, _, body = fetch(new_browser(), "/auth/token", {"username": name, "password": PASSWORD, "otp": otp})
    return status, json.loads(body).get("error")


def wait_for_new_step():
    """The rest must end before the step does."""
    rest = STEP - time.time() % STEP
    if rest < 15:
        time.sleep(rest + 0.1)


REFUSED = (401, "invalid_grant")
browser, name = sign_up()
page = fetch(browser, PAGE)[2]
page = send(browser, page, PAGE, {"action": "start", "password": PASSWORD})[2]
address = html.unescape(re.search(r"otpauth://[^\"<]+", page)[0])
totp = pyotp.parse_uri(address)
must("The name in the address", (totp.name, totp.issuer), (name, "Language AI"))
must("The parameters of the address", (totp.digits, totp.interval, totp.digest().name), (6, STEP, "sha1"))
must("The length of the secret", len(pyotp.TOTP.byte_secret(totp)), 20)

wait_for_new_step()
now = time.time()


def at(steps):
    return totp.at(now + steps * STEP)


status, _, done = send(browser, page, PAGE, {"action": "turn-on", "code": at(-2)})
must("A code of two steps before, at the set-up", status, 422)
status, _, done = send(browser, page, PAGE, {"action": "turn-on", "code": at(-1)})
must("A code of one step before, at the set-up", status, 200)
codes = re.findall(r"\b[a-z2-9]{4}(?:-[a-z2-9]{4}){3}\b", done)
must("The number of recovery codes", len(set(codes)), 10)

must("A code that was used", token(name, at(-1)), REFUSED)
must("A code of two steps before", token(name, at(-2)), REFUSED)
must("A code of two steps after", token(name, at(2)), REFUSED)
must("The code of now", token(name, at(0)), (200, None))
must("The same code again", token(name, at(0)), REFUSED)
must("A code of one step after", token(name, at(1)), (200, None))
must("A recovery code", token(name, codes[0]), (200, None))
must("A recovery code that was used, as a thief would", token(name, codes[0]), REFUSED)
