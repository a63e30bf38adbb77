import { readdirSync, readFileSync } from 'node:fs'
import { openSandbox } from './sandbox.ts'

/**
 * Runs code that only SIGKILL can stop, and prints the process ids of its children. On a busy machine a run may
 * reach its time limit before its code begins. Then another run is started.
 */
const sandbox = await openSandbox({ fetch: () => Promise.reject(new Error('none')), acceptWeak: true })
const code = 'async process({ begun }) { begun(); await null; [].includes.call({ length: 2 ** 40 }, 1) }'
let hasBegun = false
const begun = async () => {
  hasBegun = true
  const children = readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      return new RegExp(`^PPid:\\s+${process.pid}$`, 'm').test(readFileSync(`/proc/${pid}/status`, 'utf8'))
    } catch {
      return false
    }
  })
  process.stdout.write(`${children.join()}\n`)
}
const run = () =>
  sandbox.run({
    teamId: 'team',
    key: '1',
    code,
    name: 'process',
    resultKind: 'value',
    params: {},
    calls: { begun },
    secrets: [],
  })
while (!hasBegun) await run()
