"""The packages that dependency files name, as the scanner that Minder uses (osv-scalibr) finds them.

In: a tree and a path. Out: packages, as a document like protobom's. `packages` says what a package is, `python`,
`node`, `golang`, `rust` and `maven` read one family of files each, `scan` knows which file is whose, `document`
writes what a policy gets.
"""
