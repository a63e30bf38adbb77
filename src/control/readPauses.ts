import type { ChannelPause, Store } from '#store/store.ts'

/** The automatic pauses of these scripts, by script id. */
export async function readPauses(
  { store }: { store: { journal: Pick<Store['journal'], 'pauses'> } },
  scriptIds: readonly string[],
): Promise<ReadonlyMap<string, ChannelPause>> {
  const pauses = await store.journal.pauses(scriptIds)
  return new Map(pauses.map((pause) => [pause.scriptId, pause]))
}
