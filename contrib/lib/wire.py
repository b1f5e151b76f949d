#!/usr/bin/env python3
"""A TCP proxy on loopback that adds latency: wire.py LISTEN TARGET MILLISECONDS (one way) [COUNT [RATE]].

COUNT is a file that gets a line for each connection: bytes to the target, bytes from it, and how often the client spoke
after it had heard from the target: the round trips that it can have waited for. RATE is how many bytes a second come
from the target, over all connections together.
"""

import asyncio
import socket
import sys

listen, target, delay = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]) / 1000
count = sys.argv[4] if len(sys.argv) > 4 else None
rate = float(sys.argv[5]) if len(sys.argv) > 5 else 0
line_is_free = 0.0


class Turns:
    """Who spoke last, as the client sees it."""

    def __init__(self):
        self.count, self.heard = 0, False

    def says(self):
        self.count += self.heard
        self.heard = False

    def hears(self):
        self.heard = True


async def take_turn(loop, size):
    """The line carries one thing after another."""
    global line_is_free
    line_is_free = max(line_is_free, loop.time()) + size / rate
    await asyncio.sleep(line_is_free - loop.time())


async def pump(reader, writer, came=lambda: None, went=lambda: None, is_slow=False):
    loop, queue = asyncio.get_running_loop(), asyncio.Queue()

    async def hand_on():
        while True:
            due, data = await queue.get()
            if (wait := due - loop.time()) > 0:
                await asyncio.sleep(wait)
            if not data:
                break
            if is_slow:
                await take_turn(loop, len(data))
            writer.write(data)
            went()
            await writer.drain()
        writer.close()

    task = asyncio.create_task(hand_on())
    total = 0
    try:
        while data := await reader.read(1 << (13 if is_slow else 18)):
            total += len(data)
            came()
            queue.put_nowait((loop.time() + delay, data))
    except OSError:
        pass
    queue.put_nowait((loop.time() + delay, b""))
    try:
        await task
    except OSError:
        pass
    return total


async def serve(reader, writer):
    there_reader, there_writer = await asyncio.open_connection("127.0.0.1", target)
    for side in (writer, there_writer):
        side.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    turns = Turns()
    totals = await asyncio.gather(pump(reader, there_writer, came=turns.says),
                                  pump(there_reader, writer, went=turns.hears, is_slow=rate > 0))
    if count:
        with open(count, "a") as file:
            print(*totals, turns.count, file=file)


async def main():
    async with await asyncio.start_server(serve, "127.0.0.1", listen) as server:
        await server.serve_forever()


asyncio.run(main())
