import { bareTag, startMeasured } from './aglet.ts'
import { fifty, single } from './load.ts'
import { interleaved, sampleIntake } from './sample.ts'
import { using } from './target.ts'

const secondsPerSample = 4
const asks = [
  { size: 'single events', ask: single, events: 1 },
  { size: 'events in bodies of fifty', ask: fifty, events: 50 },
]

/** Events per CPU second of an edge, without the database's CPU time. */
type EdgeRatio = { size: string; networked: number; embedded: number }

/** Measures an edge on PostgreSQL and one on SQLite, in turns. `environment` names the database. */
export async function edgeRatios(environment: Record<string, string>, rounds: number): Promise<EdgeRatio[]> {
  const networked = startMeasured({ role: 'edge', who: 'edge on PostgreSQL', shared: environment, ...bareTag })
  const embedded = startMeasured({ role: 'edge', who: 'edge on SQLite', ...bareTag })
  const ratios: EdgeRatio[] = []
  await using([networked, embedded], async (targets) => {
    for (const { size, ask, events } of asks) {
      for (const target of targets) await sampleIntake(target, secondsPerSample, ask) // warm-up
      const samples = await interleaved(targets, rounds, (target) => sampleIntake(target, secondsPerSample, ask))
      const [first, second] = samples.map(({ perCpuSecond = 0 }) => perCpuSecond * events)
      ratios.push({ size, networked: first!, embedded: second! })
    }
  })
  return ratios
}
