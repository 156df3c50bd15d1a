"""A small web shop that Understudy is demonstrated on.

Read it in this order: `catalogue`, `customers`, `carts`, `orders` and `payments` are the shop; `shop` puts
them together; `http` and `graphql_http` are its doors; `bugs` lists what can be made to go wrong on purpose.
"""
