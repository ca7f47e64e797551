"""Serves moto. Calls to its DynamoDB come one after the other: it locks nothing, and two conditional updates at once would
both succeed."""

import sys
from threading import Lock

from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import run_simple

moto = DomainDispatcherApplication(create_backend_app)
one_at_a_time = Lock()


def application(environ, start_response):
    if "/dynamodb/" in environ.get("HTTP_AUTHORIZATION", ""):
        with one_at_a_time:
            return moto(environ, start_response)
    return moto(environ, start_response)


run_simple("127.0.0.1", int(sys.argv[1]), application, threaded=True)
