"""What is on the shelf when the shop opens. Stock is a multiple of three: it came in three deliveries."""

from __future__ import annotations

Row = tuple[str, str, int, int, tuple[str, ...]]

# sku, name, price in cents, stock, tags; ids count from 1 in this order.
# The suite gives each group of cases that orders something an item of its own, so that groups do not disturb
# each other; the tags `tea` and `cup` belong to cases that only look.
SHELF: tuple[Row, ...] = (
    ("tea-green", "Green tea", 450, 60, ("tea", "green")),
    ("tea-black", "Black tea", 390, 60, ("tea", "black")),
    ("tea-white", "White tea", 1150, 30, ("tea", "white")),
    ("tea-oolong", "Oolong", 890, 30, ("tea", "half-green")),
    ("tea-rooibos", "Rooibos", 520, 36, ("tea", "herbal")),
    ("tea-mint", "Peppermint", 410, 36, ("tea", "herbal")),
    ("tea-jasmine", "Jasmine pearls", 2300, 12, ("tea", "green", "gift")),
    ("cup-glass", "Double-walled glass", 990, 24, ("cup", "glass")),
    ("cup-stone", "Stoneware mug", 1290, 24, ("cup",)),
    ("cup-travel", "Travel cup, 0.4 l", 2490, 18, ("cup", "steel")),
    ("pot-iron", "Cast iron pot", 6900, 9, ("pot",)),
    ("pot-glass", "Glass pot", 3450, 15, ("pot", "glass")),
    ("pot-clay", "Yixing clay pot", 12800, 6, ("pot", "gift")),
    ("kettle-steel", "Gooseneck kettle", 7990, 12, ("kettle", "steel")),
    ("kettle-copper", "Copper kettle", 25900, 30, ("kettle", "gift")),
    ("filter-paper", "Paper filters, 100", 350, 90, ("filter",)),
    ("filter-cotton", "Cotton filter", 790, 30, ("filter",)),
    ("scale-small", "Scale to a tenth of a gram", 2990, 15, ("scale",)),
    ("timer-sand", "Sand timer, 3 minutes", 890, 42, ("timer", "glass")),
    ("tin-round", "Round tin", 590, 48, ("tin", "steel")),
    ("tin-square", "Square tin", 640, 48, ("tin", "steel")),
    ("honey-linden", "Linden honey", 780, 27, ("honey",)),
    ("book-leaf", "The Leaf, a handbook", 3200, 21, ("book", "gift")),
    ("gift-card", "Gift card", 2500, 300, ()),
)
