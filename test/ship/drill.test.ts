import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { freePort, until } from '../fake/aglet.ts'
import { deliverReadmeEvent, environment, readReadmeEvent, root, run, start, stop, welcomeOf } from './firstEvent.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-drill-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const program = join(root, 'scripts/aglet.sh')

/** The lines of the drill in docs/operating.md, with the folders of this test. */
function drillLines(data: string, port: number): string[] {
  const page = readFileSync(join(root, 'docs/operating.md'), 'utf8')
  const [, block] = /^## The backup drill\n[^`]*?```sh\n([^`]+)```/m.exec(page)!
  return block!
    .trim()
    .split('\n')
    .map((line) =>
      line
        .replace(/ +# .*$/, '')
        .replace(/^aglet /, `sh ${program} `)
        .replaceAll('/var/lib/aglet', data)
        .replaceAll('/backups', folder)
        .replaceAll('/safe/root.key', join(data, 'root.key'))
        .replaceAll('/tmp/drill', join(folder, 'drill'))
        .replace('4999', `${port}`),
    )
}

test('the backup drill of the guide restores the journal, and the restored server accepts and sends nothing', async (t) => {
  const data = join(folder, 'data')
  const first = start(['sh', program, 'serve', '--port', `${await freePort()}`, '--data', data], { cwd: folder })
  t.after(() => stop(first))
  const welcome = await welcomeOf(first)
  await deliverReadmeEvent(welcome)

  const port = await freePort()
  const lines = drillLines(data, port)
  const serve = lines.pop()!
  for (const line of lines) await run('sh', ['-c', line], { cwd: folder, env: environment })
  await stop(first)

  assert.match(serve, /--role control$/)
  const second = start(['sh', '-c', `exec ${serve}`], { cwd: folder })
  t.after(() => stop(second))
  await until(() => /is running/.test(second.out()), 100_000)
  const restored = { ...welcome, origin: `http://127.0.0.1:${port}` }
  await readReadmeEvent(restored)
  const sent = await fetch(`${restored.origin}/t/${welcome.tagId}/tag`, { method: 'POST', body: '{}' })
  assert.equal(sent.status, 404, 'it accepts no events')
})
