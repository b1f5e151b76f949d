"""Draws curves on two logarithmic axes as SVG."""

import math

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 70, 290, 20, 50
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9")


def seconds(value):
    return f"{value * 1000:g} ms" if value < 1 else f"{value:g} s"


class Axes:
    def __init__(self, counts, values):
        self.x = math.log(counts[0]), math.log(counts[-1])
        self.decades = range(math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))) + 1)
        self.y = self.decades[0] * math.log(10), self.decades[-1] * math.log(10)

    def at_x(self, count):
        share = (math.log(count) - self.x[0]) / (self.x[1] - self.x[0])
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def at_y(self, value):
        share = (math.log(value) - self.y[0]) / (self.y[1] - self.y[0])
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def text(x, y, words, anchor="start", colour="#333"):
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{colour}">{words}</text>'


def line(points, colour, width):
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>'


def label_places(ends):
    """Where each curve's name can lie beside its end without covering another's: 16 pixels apart."""
    places = {}
    last = -math.inf
    for number in sorted(range(len(ends)), key=lambda number: ends[number]):
        last = max(ends[number], last + 16)
        places[number] = last
    return places


def plot(curves, counts):
    """`curves`: (name, seconds at each of `counts`)."""
    axes = Axes(counts, [value for _, values in curves for value in values])
    right = WIDTH - RIGHT
    parts = []
    for decade in axes.decades:
        y = axes.at_y(10.0 ** decade)
        parts += [line([(LEFT, y), (right, y)], "#ddd", 1), text(LEFT - 8, y + 4, seconds(10.0 ** decade), "end")]
    for count in counts:
        x = axes.at_x(count)
        parts += [line([(x, TOP), (x, HEIGHT - BOTTOM)], "#ddd", 1),
                  text(x, HEIGHT - BOTTOM + 18, f"{count:,}", "middle")]
    parts.append(text((LEFT + right) / 2, HEIGHT - 10, "messages", "middle"))
    places = label_places([axes.at_y(values[-1]) for _, values in curves])
    for number, (name, values) in enumerate(curves):
        colour = COLOURS[number % len(COLOURS)]
        points = [(axes.at_x(count), axes.at_y(value)) for count, value in zip(counts, values)]
        parts.append(line(points, colour, 2))
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
        parts.append(text(right + 10, places[number] + 4, name, colour=colour))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
            f'height="{HEIGHT}" font-family="sans-serif" font-size="12">\n'
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n")
