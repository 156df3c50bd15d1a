"""The properties of an approval flow, one module each, with the cases that show whether a flow has it."""
