import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, startAglet, stopAglet } from '../../test/fake/aglet.ts'
import { measureLoading } from '../loading.ts'
import { pinned } from '../machine.ts'
import type { Part } from '../part.ts'
import { interleaved, type Sample } from '../sample.ts'
import { startBare } from '../target.ts'

async function timed(start: () => Promise<() => Promise<void>>): Promise<Sample> {
  const begun = performance.now()
  const stop = await start()
  const startMs = performance.now() - begun
  await stop()
  return { startMs }
}

async function startOn(data: string): Promise<() => Promise<void>> {
  const aglet = await startAglet({ data, port: await freePort(), wrap: pinned('measured') })
  return () => stopAglet(aglet)
}

const bare = async () => (await startBare()).stop

export const start: Part = {
  name: 'start',
  says: 'From the start of the process until it answers that it is ready; and what loading the providers costs of it.',
  inQuick: true,
  async run({ rounds, isQuick }, tell) {
    const root = mkdtempSync(join(tmpdir(), 'aglet-bench-'))
    let fresh = 0
    const used = join(root, 'used')
    await (await startOn(used))() // which also fills the compile cache, like the first start of an installation
    const starts = [
      { who: 'bare node:http', size: 'nothing', begin: bare },
      { who: 'Aglet', size: 'an empty folder', begin: () => startOn(join(root, `${fresh++}`)) },
      { who: 'Aglet', size: 'a folder that is there', begin: () => startOn(used) },
    ]
    const samples = await interleaved(starts, isQuick ? rounds : 5, ({ begin }) => timed(begin))
    for (const [n, figures] of samples.entries()) tell({ size: starts[n]!.size, who: starts[n]!.who, figures })
    rmSync(root, { recursive: true, force: true })
    const { files, cpuMs, emptyCpuMs } = measureLoading('#providers/index.ts', isQuick ? rounds : 9)
    tell({
      size: `loading an empty module graph of as many files (${files})`,
      who: 'bare node',
      figures: { cpuMs: emptyCpuMs },
    })
    tell({ size: 'loading all providers', who: 'Aglet', figures: { cpuMs } })
  },
}
