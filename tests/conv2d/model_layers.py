"""Prints the Conv2d layers of whole models as tables for ``assets/models.toml``.

A tool for developers, no test::

    python -m venv VENV && VENV/bin/pip install torch torchvision ultralytics diffusers
    VENV/bin/python tests/conv2d/model_layers.py resnet50 vae-decoder

Models are built from their packages' code with random weights, nothing is downloaded but the code
of the UNet (through ``torch.hub``). Each runs once, on the CPU or without memory at all (``meta``),
and a hook on each ``Conv2d`` notes what comes in. ``--hub DIR`` takes the UNet from a folder.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
from collections import Counter
from collections.abc import Callable
from typing import Any

Layer = tuple[tuple[str, object], ...]
"""The fields of one row in the order of the file."""


def main() -> None:
    """Print the tables that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("models", nargs="*", choices=[*MODELS, []], help="all of them by default")
    parser.add_argument("--hub", metavar="DIR", help="a copy of milesial/Pytorch-UNet")
    arguments = parser.parse_args()
    torch = importlib.import_module("torch")
    for name in arguments.models or MODELS:
        model, size, where, package = MODELS[name](arguments)
        print(*table(torch, name, model.eval().to(where), size, where, package), sep="\n")


def table(
    torch: Any, name: str, model: Any, size: tuple[int, ...], where: str, package: str
) -> list[str]:
    """One model as text for the file; its title and caution are written by hand."""
    layers = layers_of(torch, model, torch.zeros(size, device=where))
    skipped = Counter(type(m).__name__ for m in model.modules() if "Conv" in type(m).__name__)
    version = "" if "/" in package else f" {importlib.metadata.version(package)}"
    return [
        f"# {name}: {package}{version}, torch {torch.__version__}; "
        f"{sum(layers.values())} calls of Conv2d, {len(layers)} shapes; modules: {dict(skipped)}",
        "rows = [",
        *(f"    {row(layer, times)}," for layer, times in layers.items()),
        "]",
    ]


def layers_of(torch: Any, model: Any, image: Any) -> Counter[Layer]:
    """Each distinct layer in the order of its first call, with how often it is called."""
    found: Counter[Layer] = Counter()

    def note(module: Any, inputs: tuple[Any, ...], _output: Any) -> None:
        found[layer_of(module, inputs[0].shape)] += 1

    convolutions = [m for m in model.modules() if type(m) is torch.nn.Conv2d]
    hooks = [module.register_forward_hook(note) for module in convolutions]
    with torch.no_grad():
        model(image)
    for hook in hooks:
        hook.remove()
    return found


def layer_of(module: Any, size: tuple[int, ...]) -> Layer:
    """The fields that differ from the defaults of the file."""
    pairs = {
        name: one_of(name, getattr(module, name))
        for name in ("kernel_size", "stride", "padding", "dilation")
    }
    kernel, height, width = pairs["kernel_size"], size[2], size[3]
    fields: tuple[tuple[str, object, object], ...] = (
        ("channels", [module.in_channels, module.out_channels], None),
        ("size", height if height == width else [height, width], None),
        ("kernel", kernel, 3),
        ("stride", pairs["stride"], 1),
        ("padding", pairs["padding"], kernel // 2),
        ("dilation", pairs["dilation"], 1),
        ("groups", module.groups, 1),
        ("bias", module.bias is not None, False),
    )
    return tuple((name, _frozen(value)) for name, value, usual in fields if value != usual)


def one_of(name: str, pair: Any) -> int:
    """The one number of a square pair; what is not square has no row in our tables yet."""
    if isinstance(pair, str) or len(set(pair)) != 1:
        raise SystemExit(f"a layer whose {name} is {pair}: Shape cannot say it")
    return int(pair[0])


def row(layer: Layer, times: int) -> str:
    """One row as TOML."""
    fields = {**dict(layer), **({"times": times} if times > 1 else {})}
    written = {name: list(v) if isinstance(v, tuple) else v for name, v in fields.items()}
    text = ", ".join(f"{name} = {str(value).lower()}" for name, value in written.items())
    return f"{{ {text} }}"


def _frozen(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


Built = tuple[Any, tuple[int, ...], str, str]
"""A model, the size of its input, the device it runs on, and the package it comes from."""


def resnet50(_arguments: argparse.Namespace) -> Built:
    """``torchvision.models.resnet50``."""
    models = importlib.import_module("torchvision.models")
    return models.resnet50(weights=None), (1, 3, 224, 224), "meta", "torchvision"


def mobilenetv3(_arguments: argparse.Namespace) -> Built:
    """``torchvision.models.mobilenet_v3_large``."""
    models = importlib.import_module("torchvision.models")
    return models.mobilenet_v3_large(weights=None), (1, 3, 224, 224), "meta", "torchvision"


def yolov8n(_arguments: argparse.Namespace) -> Built:
    """``yolov8n.yaml`` of ultralytics, as it predicts, before layers are fused."""
    tasks = importlib.import_module("ultralytics.nn.tasks")
    model = tasks.DetectionModel("yolov8n.yaml", verbose=False)
    return model, (1, 3, 640, 640), "cpu", "ultralytics"


def unet(arguments: argparse.Namespace) -> Built:
    """``unet_carvana`` of milesial/Pytorch-UNet: padded, with transposed convolutions."""
    hub = importlib.import_module("torch.hub")
    name, kind = "milesial/Pytorch-UNet", "local" if arguments.hub else "github"
    model = hub.load(
        arguments.hub or name, "unet_carvana", source=kind, pretrained=False, trust_repo=True
    )
    return model, (1, 3, 512, 512), "meta", name


def vae_decoder(_arguments: argparse.Namespace) -> Built:
    """The decoder of ``AutoencoderKL`` with the configuration of Stable Diffusion 1.x."""
    torch, diffusers = importlib.import_module("torch"), importlib.import_module("diffusers")
    vae = diffusers.AutoencoderKL(
        down_block_types=("DownEncoderBlock2D",) * 4,
        up_block_types=("UpDecoderBlock2D",) * 4,
        block_out_channels=(128, 256, 512, 512),
        layers_per_block=2,
        latent_channels=4,
        sample_size=512,
    )
    decoder = torch.nn.Sequential(vae.post_quant_conv, vae.decoder)
    return decoder, (1, 4, 64, 64), "meta", "diffusers"


MODELS: dict[str, Callable[[argparse.Namespace], Built]] = {
    "resnet50": resnet50,
    "mobilenetv3": mobilenetv3,
    "yolov8n": yolov8n,
    "unet": unet,
    "vae-decoder": vae_decoder,
}

if __name__ == "__main__":
    main()
