"""Nodes for ComfyUI: people before another background, or drawn with a look, and their mattes.

Copy this folder into ComfyUI's custom_nodes, as "backdrop", and install the Python package beside ComfyUI.
"""

from .nodes import NODE_CLASS_MAPPINGS, NODE_DISPLAY_NAME_MAPPINGS

__all__ = ["NODE_CLASS_MAPPINGS", "NODE_DISPLAY_NAME_MAPPINGS"]
