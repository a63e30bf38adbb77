import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clockFile } from '../fault/faketime.ts'

/** The clocks of the database servers. Patroni and etcd use the machine's clock. */
export type NodeClocks = {
  /** A folder with the PostgreSQL programs, whose server follows the node's clock. */
  binFolderOf(name: string, postgresFolder: string): string
  /**
   * Sets a node's clock ahead of or behind the machine's; the server follows within a second. A server must be started with
   * the machine's clock: Patroni compares the time in the server's file with that of the process.
   */
  set(name: string, aheadSeconds: number): void
  close(): void
}

export function openNodeClocks(): NodeClocks {
  const folder = mkdtempSync(join(tmpdir(), 'aglet-clocks-'))
  chmodSync(folder, 0o755)
  const fileOf = (name: string) => join(folder, `${name}.clock`)
  const set: NodeClocks['set'] = (name, seconds) =>
    writeFileSync(fileOf(name), `${seconds < 0 ? '' : '+'}${seconds}`, { mode: 0o644 })
  return {
    binFolderOf(name, postgresFolder) {
      const made = join(folder, name)
      mkdirSync(made, { mode: 0o755 })
      for (const program of readdirSync(postgresFolder))
        if (program !== 'postgres') symlinkSync(join(postgresFolder, program), join(made, program))
      const settings = Object.entries(clockFile(fileOf(name))).map(([key, value]) => `${key}=${value}`)
      const server = join(made, 'postgres')
      writeFileSync(server, `#!/bin/sh\nexec env ${settings.join(' ')} ${join(postgresFolder, 'postgres')} "$@"\n`)
      chmodSync(server, 0o755)
      set(name, 0)
      return made
    },
    set,
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}
