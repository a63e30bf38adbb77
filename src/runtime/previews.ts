import type { PreviewRun } from '#control/previewRun.ts'
import { openScriptSecrets } from '#delivery/scriptSecrets.ts'
import { openLocate } from '#geo/locate.ts'
import { openPreviewLog } from '#journal/previewLog.ts'
import type { Sender } from '#provider/engine/send.ts'
import { hasRole } from '#settings/settings.ts'
import type { EnvironmentRuntime } from './environmentRuntime.ts'
import { demoInboxesOf, type ServerRuntime, senderOptions } from './sharedRuntime.ts'

/**
 * The previews of each environment. They are opened at the first call, because most servers have no previews, and closed
 * with `opened`.
 */
export function openPreviews(
  server: ServerRuntime,
  opened: Pick<AsyncDisposableStack, 'defer'>,
): (runtime: EnvironmentRuntime) => PreviewRun {
  const { settings, log, rates, environments } = server
  let sender: Sender | undefined
  /** A pure edge has not loaded the location database. */
  const isEdgeAlone = !hasRole('worker', settings) && !hasRole('control', settings)

  async function open(runtime: EnvironmentRuntime): Promise<PreviewRun> {
    const [{ openPreviewRun }, { openEnvironmentTestRun }, { openSender }] = await Promise.all([
      import('#control/previewRun.ts'),
      import('./environmentTestRun.ts'),
      import('#provider/engine/send.ts'),
    ])
    sender ??= openSender(senderOptions(settings, demoInboxesOf(environments)))
    const locate = isEdgeAlone ? await openLocate(settings.geoFile) : server.locate
    const { clock, profiles, store, keys } = runtime
    return openPreviewRun({
      ...{ clock, log, profiles, rates, store },
      runTest: openEnvironmentTestRun({ ...server, locate }, runtime, sender),
      previewLog: openPreviewLog({ clock, keys, store }),
      plaintexts: openScriptSecrets(runtime),
    })
  }
  opened.defer(async () => sender?.close())
  return (runtime) => {
    let opening: Promise<PreviewRun> | undefined
    const run = () => {
      opening ??= open(runtime)
      return opening
    }
    return {
      snapshotOf: async (...call) => (await run()).snapshotOf(...call),
      add: async (...call) => (await run()).add(...call),
      left: async (...call) => (await run()).left(...call),
    }
  }
}
