import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'
import { program } from '../fake/aglet.ts'
import { root } from './blocks.ts'

/** The result of a command line. */
export type Printed = { code: number; out: string; error: string }

/** A reader of the documents: a bash with its own folder and home, where `aglet` is a command. */
export type Reader = {
  folder: string
  /** Runs lines of a document unchanged, in the reader's folder or in the clone's. */
  type(lines: string, more?: { input?: string; inClone?: boolean; env?: Record<string, string> }): Promise<Printed>
}

export function openReader(data: string): Reader {
  const folder = mkdtempSync(join(tmpdir(), 'aglet-reader-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'aglet'), `#!/bin/sh\nexec sh '${program}' "$@"\n`)
  chmodSync(join(bin, 'aglet'), 0o755)
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('AGLET_'))
  const env = {
    ...Object.fromEntries(own),
    HOME: folder,
    XDG_CONFIG_HOME: '',
    PATH: `${bin}:${process.env.PATH}`,
    AGLET_DATA: data,
  }
  return {
    folder,
    async type(lines, { input = '', inClone = false, env: more = {} } = {}) {
      const cwd = inClone ? root : folder
      const shell = spawn('bash', ['-euo', 'pipefail', '-c', lines], { cwd, env: { ...env, ...more } })
      shell.stdin.end(input)
      const ended = new Promise<number>((resolve) => shell.once('close', resolve))
      const [out, error] = await Promise.all([text(shell.stdout), text(shell.stderr)])
      return { code: await ended, out, error }
    },
  }
}
