"""`python -IS fork_client.py SOCKET -m MODULE ARGS` runs a program in a fork of what serves at the socket."""

import json
import os
import signal
import socket
import sys

signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program gets it, too, and ends as it should

with socket.socket(socket.AF_UNIX) as server:
    server.connect(sys.argv[1])
    asked = json.dumps([os.getcwd(), os.getpgrp(), dict(os.environ), sys.argv[2:]])  # noqa: PTH109
    socket.send_fds(server, [asked.encode()], [0, 1, 2])
    sys.exit(int(server.recv(10) or 1))  # it sends nothing when it is killed
