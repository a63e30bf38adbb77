import { openCaptureRules } from '#delivery/captureRules.ts'
import { openScriptSecrets } from '#delivery/scriptSecrets.ts'
import { openTestRun } from '#delivery/testRun.ts'
import { toRetentionPolicy } from '#journal/retentionPolicy.ts'
import { plugins } from '#plugins/index.ts'
import type { SendRequest } from '#provider/engine/send.ts'
import { providers } from '#providers/index.ts'
import type { EnvironmentRuntime } from './environmentRuntime.ts'
import type { ServerRuntime } from './sharedRuntime.ts'

/** Plans and sends test events on this thread, because they are few. `send` has the guard of the worker's sender. */
export function openEnvironmentTestRun(server: ServerRuntime, runtime: EnvironmentRuntime, send: SendRequest) {
  const { settings, log, locate, rates, sandbox } = server
  const { environment, clock, stream, keys, profiles, tagUrl, intakeRate } = runtime
  const captures = openCaptureRules(providers, openScriptSecrets(runtime)).ofTag
  return openTestRun({
    ...{ environment, clock, stream, keys, profiles, tagUrl, intakeRate },
    ...{ log, locate, rates, captures, send, providers, plugins },
    brand: settings.brand,
    runCode: sandbox.run,
    keep: toRetentionPolicy(settings),
    random: Math.random,
  })
}
