"""The module of each call path: the innermost callback of a module in it.

No message names a fragment, so fragments are known by their callbacks. Their outermost calls are those that Android makes outside
of an activity's callbacks, such as those of transactions and of listeners.

A recording does not have the classes' hierarchy. A module that receives a message in the callback of another class inherits it.
So does a module whose callback directly contains the same callback of another class, which is a call of `super`, unless that
class receives a message of its own there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Container, Mapping, Sequence, Set
from dataclasses import dataclass, field

import numpy as np

from navitas.energy.attribute.calls.paths import OUTSIDE, PROBES
from navitas.energy.attribute.ledger import Ledger, ModuleMessages
from navitas.recording.parse.arrays import I64, Bool
from navitas.recording.parse.communication_records import FIRST_RECEIVE, CommunicationKind
from navitas.recording.parse.tables import Method

NO_MODULE = -1
_SEVERAL = -2
_BUNDLE, _VIEW = "Landroid/os/Bundle;", "Landroid/view/View;"
_CALLBACKS = frozenset({
    ("onAttach", "(Landroid/content/Context;)V"),
    ("onAttach", "(Landroid/app/Activity;)V"),
    ("onCreateView", f"(Landroid/view/LayoutInflater;Landroid/view/ViewGroup;{_BUNDLE}){_VIEW}"),
    ("onViewCreated", f"({_VIEW}{_BUNDLE})V"),
    ("onActivityCreated", f"({_BUNDLE})V"),
    ("onViewStateRestored", f"({_BUNDLE})V"),
    ("onCreateDialog", f"({_BUNDLE})Landroid/app/Dialog;"),
    ("onCreatePreferences", f"({_BUNDLE}Ljava/lang/String;)V"),
    ("onDestroyView", "()V"),
})  # fmt: skip
"""Callbacks that only fragments have (reference of android.app.Fragment and androidx.fragment.app)."""
K = CommunicationKind
_RECEIVES = {
    int(kind): frozenset(names.split())
    for kind, names in {
        K.ACTIVITY_INTENT: "onCreate onNewIntent",
        K.ACTIVITY_RESULT: "onActivityResult",
        K.SERVICE_START: "onStartCommand onStart",
        K.SERVICE_BIND: "onBind",
        K.RECEIVE: "onReceive",
        K.JOB: "onStartJob",
        K.WORK: "doWork startWork",
        K.PROVIDER: "query insert update delete call",
        K.SERVICE_DESTROYED: "onDestroy",
    }.items()
}
"""The callbacks that record each kind of receipt. A receipt in another one is that of a class without probes, which it called."""
_ACTIVITY = """
onCreate onStart onRestart onResume onPostCreate onPostResume onTopResumedActivityChanged onPause onStop onDestroy onNewIntent
onActivityResult onRequestPermissionsResult onSaveInstanceState onRestoreInstanceState onConfigurationChanged
onWindowFocusChanged onUserInteraction onUserLeaveHint onBackPressed onCreateOptionsMenu onPrepareOptionsMenu
onOptionsItemSelected onContextItemSelected onCreateContextMenu onAttachedToWindow onDetachedFromWindow
onPictureInPictureModeChanged onMultiWindowModeChanged onKeyDown onKeyUp onTouchEvent dispatchTouchEvent dispatchKeyEvent
onTrimMemory onLowMemory onActivityReenter onProvideAssistData onSearchRequested onEnterAnimationComplete
"""
_FRAGMENT = """
onAttach onCreateView onViewCreated onActivityCreated onViewStateRestored onDestroyView onDetach onHiddenChanged
onCreateDialog onDismiss onCancel onInflate setUserVisibleHint
"""
_SERVICE = """
onStartCommand onBind onUnbind onRebind onTaskRemoved onTimeout onHandleIntent onHandleWork onStopCurrentWork
onMessageReceived onNewToken onListenerConnected onListenerDisconnected onNotificationPosted onNotificationRemoved
onAccessibilityEvent onServiceConnected onServiceDisconnected onBindingDied onNullBinding
"""
_RECEIVER = "onReceive onUpdate onEnabled onDisabled onDeleted onAppWidgetOptionsChanged onRestored"
_PROVIDER = "query insert bulkInsert update delete getType call applyBatch openFile openAssetFile openTypedAssetFile attachInfo"
_JOB_AND_WORK = "onStartJob onStopJob onNetworkChanged doWork startWork onStopped getForegroundInfo getForegroundInfoAsync"

CALLBACKS = frozenset(" ".join((_ACTIVITY, _FRAGMENT, _SERVICE, _RECEIVER, _PROVIDER, _JOB_AND_WORK)).split())
"""Methods that Android calls on an activity, fragment, service, receiver, provider, job or worker."""

_TASKS = """
run call doInBackground onPreExecute onPostExecute onProgressUpdate handleMessage invoke invokeSuspend accept apply get compute
exec execute
"""
TASKS = frozenset(_TASKS.split())
"""Methods of tasks. Such an outermost call can be work that another module handed over."""
LAMBDA = "lambda$"
"""In the name of a compiled lambda, which can be a task or a listener: `lambda$run$0` of javac, `run$lambda$0` of Kotlin."""


def may_be_task(method: str) -> bool:
    """Whether an outermost call of this method can be handed work."""
    return method in TASKS or LAMBDA in method


@dataclass(frozen=True, slots=True)
class Inheritance:
    """`heirs` are the modules that inherit each class. `is_super`: the path is a call of `super` in the same callback.

    `received_at` are the modules that received messages in each path.
    """

    heirs: Mapping[str, Set[str]]
    is_super: Bool
    received_at: Mapping[int, Set[str]]


def inheritance(ledger: Ledger, messages: ModuleMessages, modules: Collection[str], fragments: Container[str]) -> Inheritance:
    """Find the heirs of all classes. `modules` are those that messages name, `fragments` the classes of fragments."""
    methods, of_path = ledger.methods.methods, ledger.paths.method.tolist()
    received_at: defaultdict[int, set[str]] = defaultdict(set)
    rows = np.flatnonzero((messages.kind >= FIRST_RECEIVE) & (messages.path > PROBES) & (messages.module > 0))
    columns = (messages.path[rows].tolist(), messages.kind[rows].tolist(), messages.module[rows].tolist())
    for path, kind, name in zip(*columns, strict=True):
        called = methods[of_path[path]]
        if called.class_name not in modules or called.name in _RECEIVES.get(kind, ()):
            received_at[path].add(messages.names[name])
    below: defaultdict[str, set[str]] = defaultdict(set)
    for path, names in received_at.items():
        called = methods[of_path[path]]
        if called.name in CALLBACKS:
            below[called.class_name] |= names - {called.class_name}
    is_super = _super_calls(ledger, received_at, fragments)
    for path in np.flatnonzero(is_super).tolist():
        below[methods[of_path[path]].class_name].add(methods[of_path[int(ledger.paths.parent[path])]].class_name)
    every = {name: _all_below(name, below).intersection(modules) - {name} for name in below}
    heirs = {name: found for name, found in every.items() if found}
    for path in np.flatnonzero(is_super).tolist():
        caller = methods[of_path[int(ledger.paths.parent[path])]].class_name
        is_super[path] = caller in modules or caller in heirs
    return Inheritance(heirs, is_super, received_at)


def _super_calls(ledger: Ledger, received_at: Mapping[int, Set[str]], fragments: Container[str]) -> Bool:
    """Paths of a callback directly below the same callback of another class. Android calls fragments there, too."""
    methods, parent, method = ledger.methods.methods, ledger.paths.parent, ledger.paths.method
    numbers: dict[tuple[str, str], int] = {}
    callback = np.array(
        [numbers.setdefault((each.name, each.descriptor), len(numbers)) if each.name in CALLBACKS else -1 for each in methods]
        or [-1]
    )
    inner = np.flatnonzero((np.arange(len(parent)) > PROBES) & (parent > PROBES))
    inner = inner[(callback[method[inner]] >= 0) & (callback[method[inner]] == callback[method[parent[inner]]])]
    is_super = np.zeros(len(parent), bool)
    pairs = {path: (methods[method[path]].class_name, methods[method[parent[path]]].class_name) for path in inner.tolist()}
    own = {pair for path, pair in pairs.items() if pair[0] in received_at.get(path, ())}
    for path, pair in pairs.items():
        is_super[path] = pair[0] != pair[1] and pair not in own and pair[0] not in fragments
    return is_super


def _all_below(name: str, below: Mapping[str, Set[str]]) -> set[str]:
    found, waiting = set[str](), [name]
    while waiting:
        new = below.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def fragment_modules(ledger: Ledger, fragments: Container[str], modules: Container[str]) -> list[str]:
    """Return those of `fragments` with outermost calls, sorted; not those that are, or are nested in, one of `modules`."""
    methods, parent = ledger.methods.methods, ledger.paths.parent
    in_calls = np.arange(len(parent)) > PROBES
    outermost = [methods[i] for i in np.unique(ledger.paths.method[in_calls & (parent == OUTSIDE)]).tolist()]
    found = {enclosing_class(one.class_name, fragments) for one in outermost}
    return sorted(name for name in found if name is not None and enclosing_class(name, modules) is None)


def classes_of_fragments(ledger: Ledger) -> set[str]:
    """Return the classes of which a callback was called that only fragments have."""
    methods = ledger.methods.methods
    called = [methods[i] for i in np.unique(ledger.paths.method[PROBES + 1 :]).tolist()]
    return {one.class_name for one in called if (one.name, one.descriptor) in _CALLBACKS}


def enclosing_class(name: str, classes: Container[str]) -> str | None:
    """Return the class itself or the innermost one around it that is among `classes`."""
    while name not in classes:
        name, dollar, _ = name.rpartition("$")
        if not dollar:
            return None
    return name


@dataclass(frozen=True, slots=True)
class ModulePaths:
    """The module of each call path, an index in `modules` or `NO_MODULE`.

    `may_be_task`: the path is below an outermost call of the module's own code that can be work which another module handed over.
    `in_callback`: the path is below a callback of the module. `fragments` are those of `modules` that are fragments.
    `entry` is the call that decides on the module, `OUTSIDE` if there is none. `heirs` are the modules that an entry can belong
    to, if they are several: its class is a base class of these modules.
    """

    modules: tuple[str, ...]
    module: I64
    may_be_task: Bool
    in_callback: Bool
    entry: I64
    fragments: frozenset[str] = frozenset()
    heirs: Mapping[int, Set[str]] = field(default_factory=dict)

    def heirs_of(self, path: int) -> Set[str]:
        """The modules that a path can belong to, if they are several."""
        return self.heirs.get(int(self.entry[path]), frozenset())


def module_paths(ledger: Ledger, messages: ModuleMessages) -> ModulePaths:
    """Find the module of each call path of a ledger.

    A call is an entry to a module if it is a callback of the module's class, or of a base class of it, but not a call of `super`
    in the module's own callback. An outermost call of another method of the class, or of a class nested in it, is an entry, too,
    because the app does not call it. Fragments have only such outermost entries: what runs within an activity's callback belongs
    to the activity.
    """
    named = np.unique(np.concatenate([messages.module, messages.target])).tolist()
    modules = tuple(sorted(messages.names[number] for number in named if messages.names[number]))
    number = {name: i for i, name in enumerate(modules)}
    of_fragments = classes_of_fragments(ledger)
    inherited = inheritance(ledger, messages, number, of_fragments)
    fragments = fragment_modules(ledger, of_fragments, {*number, *inherited.heirs})
    every = (*modules, *fragments)
    users = _Users(ledger.methods.methods, {name: i for i, name in enumerate(every)}, inherited)
    parent, method = ledger.paths.parent, ledger.paths.method
    size = max(len(ledger.methods.methods), 1)
    of_method, is_callback, is_task = (np.zeros(size, kind) for kind in (np.int64, bool, bool))
    for i, each in enumerate(ledger.methods.methods):
        of_method[i] = users.number(each)
        is_callback[i] = (each.class_name in number or each.class_name in inherited.heirs) and each.name in CALLBACKS
        is_task[i] = may_be_task(each.name)
    in_calls = np.arange(len(parent)) > PROBES
    last = np.where(in_calls, method, 0)
    of_path, outermost = of_method[last], parent == OUTSIDE
    for path, names in inherited.received_at.items():
        of_path[path] = users.number(ledger.methods.methods[last[path]], names)
    certain = in_calls & is_callback[last] & ~inherited.is_super & (outermost | (of_path != _SEVERAL))
    entry = _nearest(parent, certain | (in_calls & outermost & (of_path != NO_MODULE)))
    has_entry = entry > PROBES
    module, open_task, in_callback = np.full(len(parent), NO_MODULE), *np.zeros((2, len(parent)), bool)
    module[has_entry] = np.where(of_path == _SEVERAL, NO_MODULE, of_path)[entry[has_entry]]
    open_task[has_entry] = (is_task[last] & ~certain)[entry[has_entry]]
    in_callback[has_entry] = certain[entry[has_entry]]
    several = np.unique(entry[has_entry & (of_path[entry] == _SEVERAL)]).tolist()
    heirs = {path: users.of(ledger.methods.methods[last[path]], inherited.received_at.get(path, ())) for path in several}
    return ModulePaths(every, module, open_task, in_callback, entry, frozenset(fragments), heirs)


class _Users:
    """The modules that an outermost call of a method, or a callback, can belong to."""

    def __init__(self, methods: Sequence[Method], number: Mapping[str, int], inherited: Inheritance) -> None:
        self._number, self._heirs = number, inherited.heirs
        self._known = {*number, *inherited.heirs}
        self._declared = {(each.class_name, each.name, each.descriptor) for each in methods}

    def number(self, method: Method, received: Collection[str] = ()) -> int:
        """The number of the only one, `_SEVERAL`, or `NO_MODULE`."""
        users = self.of(method, received)
        return self._number[next(iter(users))] if len(users) == 1 else _SEVERAL if users else NO_MODULE

    def of(self, method: Method, received: Collection[str] = ()) -> Set[str]:
        """All of them. `received` are the modules that received messages in the call: it belongs to one of these.

        An object whose class overrides the method would have run its own one instead.
        """
        owner = enclosing_class(method.class_name, self._known)
        if owner is None:
            return frozenset()
        own = {owner} & self._number.keys()
        users = own | self._heirs.get(owner, set())
        if owner == method.class_name:
            overriding = {name for name in users - own if (name, method.name, method.descriptor) in self._declared}
            users = users - overriding or users
        return users & set(received) or users


def _nearest(parent: I64, marked: Bool) -> I64:
    """The innermost marked path among each path and its callers, `OUTSIDE` if there is none."""
    here = np.arange(len(parent))
    above = np.where(marked | (here <= PROBES), here, np.maximum(parent, OUTSIDE))
    for _ in range(len(parent).bit_length()):  # Each pass doubles the length of the steps.
        further = above[above]
        if (further == above).all():
            break
        above = further
    return np.where(above == PROBES, OUTSIDE, above)
