import { startThread } from './thread.ts'
import type { UnitResult, WriteBatch } from './writeBatch.ts'
import { createWriter, type Writer } from './writer.ts'

/** A writer with a thread of its own. `migrations` is a folder. */
export async function openWriter(path: string, migrations: URL): Promise<Writer> {
  const program = new URL('./writerProgram.fixture.ts', import.meta.url)
  const data = { path, migrations: migrations.href }
  return createWriter(path, await startThread<WriteBatch, UnitResult[]>(program, data, 'endProcess'))
}
