import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'

const program = new URL('moto/venv/bin/moto_server', import.meta.url).pathname

/** True if Moto is installed or required; if it is required but missing, its tests fail. */
export const wantsMoto = existsSync(program) || Boolean(process.env.NEEDS_SDKS)

/** Starts Moto, which answers like AWS, on a free port of loopback. Returns its address. */
export async function openMoto() {
  const child = spawn(program, ['-H', '127.0.0.1', '-p', '0'], { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const found = Promise.withResolvers<string>()
  child.once('error', found.reject)
  void ended.then(() => found.reject(new Error('Moto ended before it listened')))
  createInterface(child.stderr).on('line', (line) => {
    const [, url] = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(line) ?? []
    if (url) found.resolve(url)
  })
  return {
    url: await found.promise,
    async close(): Promise<void> {
      child.kill()
      await ended
    },
  }
}
