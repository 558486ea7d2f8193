"""What goes wrong, with the text that the command line prints."""


class StepcastError(Exception):
    """Whatever StepCast refuses or cannot do."""


class InputError(StepcastError, ValueError):
    """The input is wrong: a file, a name, a value. The command line ends with 2."""


class SimulationError(StepcastError, RuntimeError):
    """The input is well formed, but the simulation cannot complete. The command line ends with 3."""
