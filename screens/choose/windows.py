"""Choose: what it says of its keys, and the windows they open (who says so, roads, texts)."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from textual.binding import Binding, BindingType

from screens.choose.choosing import Choosing
from screens.choose.road_sections import full_text
from screens.step import COMMON_KEYS, StepScreen
from screens.windows.dialogs import Notice
from screens.words import shown
from wizard.advice.comparison import everything


class ChooseWindows(StepScreen):
    """The windows of Choose, each loaded when it is opened; they change nothing but what is
    highlighted."""

    NAME = "choose"
    TITLE_WORD = "Choose"
    HELP_TEXT = (
        "Left and right move between the things to run, Space ticks one: the stacks are "
        "ranked again. Up and down, or the number of a stack, move between the stacks.\n\n"
        "a marks the next aspect of a stack, A the one before: what the card can do with it, how "
        "old it is, what it costs. e shows who says so, for and against: card, versions, "
        "date, method, grade, link, and who contradicts whom. m there shows all statements.\n\n"
        "Verdicts: works, likely, possible, not tried, disputed, unlikely, no. A person has "
        "reviewed each of them; 'not tried' means that we found no report.\n"
        "Grades of statements, strongest first: source code (somebody read it), maintainer, "
        "several users, one user, claim only (said, not shown), refuted.\n"
        "Large Conv2d is what images of 64x64 and more ask for (Stable Diffusion, YOLO); small "
        "Conv2d is 28x28 or 32x32 (MNIST, CIFAR-10). Vulnerable counts the known "
        "vulnerabilities of the torch. GET is the download. ROOT says whether administrator "
        "rights are needed: to install system packages (yes), for permission to use the GPU alone "
        "(once; Mind names it), or not at all (no).\n\n"
        "d shows all that is said of the stack; '… 3 more' counts those left out here.\n"
        "o lists every other road that somebody went: gone, by hand, elsewhere.\n"
        "v goes through the published settings that a stack has on offer, such as GEMM only.\n"
        "f switches between one folder of yours and the folder plus ROCm system packages.\n"
        "i explains: ROCm, the override, why games work and Conv2d does not, what nobody knows.\n"
        "Tab goes to the folder, Enter there takes it, Esc leaves it.\n"
        "c measures Conv2d with the torch for ROCm that you have, if any: it may be right already, "
        "or need no more than a setting. Back leads here again.\n\n"
        "Enter makes the plan and shows it, and asks first where the stack cannot run what you "
        "ticked. It changes nothing. The suggested stack is selected until you choose another."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "review", "Review", key_display="Enter"),
        Binding("i", "explain", "Explain", show=False),
        Binding("space", "tick", "Tick", key_display="Space"),
        Binding("e", "claims", "Who says so"),
        Binding("d", "full_text", "More"),
        Binding("o", "roads", "Roads"),
        Binding("a,pagedown", "mark(1)", "Aspect", show=False),
        Binding("A,pageup", "mark(-1)", "Aspect before", show=False),
        Binding("c", "measure", "Measure", show=False),
        Binding("f", "footprint", "System", show=False),
        *(
            Binding(str(rank), f"rank({rank})", f"Stack {rank}", show=False)
            for rank in range(1, 10)
        ),
        Binding("v", "preset", "Settings", show=False),
        Binding("tab", "folder", "Folder", show=False, priority=True),
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("left", "wish(-1)", "Left", show=False),
        Binding("right", "wish(1)", "Right", show=False),
        *COMMON_KEYS,
    ]

    _choosing: Choosing

    @abstractmethod
    def highlight(self, stack: str) -> None:
        """Highlights the road of a stack."""

    @abstractmethod
    def mark(self, aspect: str | None) -> None:
        """Marks an aspect, none leaves it."""

    def action_claims(self) -> None:
        """Shows who says what about the marked aspect, and who contradicts."""
        from screens.choose.evidence import Evidence

        choosing = self._choosing
        aspects = (*choosing.column.aspects, everything(choosing.stack))
        day = self.services.today()
        question = Evidence(choosing.stack.id, aspects, choosing.aspect.id, choosing.claims, day)
        self.app.push_screen(question, self.mark)

    def action_roads(self) -> None:
        """Lists every road; the stack of the one that was taken is highlighted."""
        from screens.choose.roads_list import RoadsList

        self.app.push_screen(
            RoadsList(self.services.roads(), self._choosing.claims, self.services.today()),
            self._highlight_if_any,
        )

    def action_explain(self) -> None:
        """Lists the explanations."""
        from screens.windows.explain import Explain

        self.app.push_screen(Explain())

    def action_full_text(self) -> None:
        """Shows every sentence about the highlighted road."""
        text = full_text(self._choosing.sections)
        found = self._choosing.recommendation
        ending = f"\n\nMeasure first\n  {shown(found.measure)}" if found.measure else ""
        outside = "".join(
            f"\n\n{each.program.title}\n  {each.program.install}\n  {each.program.note}"
            for each in found.outside
        )
        sentence = shown(found.sentence)
        title = f"{self._choosing.stack.id}: everything we can say"
        self.app.push_screen(Notice(title, f"Recommended\n  {sentence}{outside}\n\n{text}{ending}"))

    def _highlight_if_any(self, stack: str | None) -> None:
        if stack in self._choosing.stacks:
            self.highlight(stack)
