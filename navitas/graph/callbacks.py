"""Names of the callbacks with which Android enters an app's modules (reference of android.app, android.content, AndroidX)."""

from __future__ import annotations

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
