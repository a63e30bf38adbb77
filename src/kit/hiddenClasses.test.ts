import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { keepHiddenClasses, kept } from './hiddenClasses.ts'

test('an object of process.nextTick stays alive, with all of its properties', async () => {
  keepHiddenClasses()
  await new Promise((resolve) => process.nextTick(resolve, 'argument'))
  const names = Reflect.ownKeys(kept.tick ?? {}).map(String)
  assert.ok(names.includes('callback') && names.includes('args'), `Node's ticks have ${names.join(', ')}`)
})

/** A server that collects all garbage before each of its first requests. Prints whether the last two objects are fast. */
const server = (prepare: string) => `
  import { createServer } from 'node:http'
  import { setFlagsFromString } from 'node:v8'
  import { runInNewContext } from 'node:vm'
  import { keepHiddenClasses } from ${JSON.stringify(new URL('./hiddenClasses.ts', import.meta.url).href)}
  setFlagsFromString('--expose-gc')
  setFlagsFromString('--allow-natives-syntax')
  const collect = runInNewContext('gc')
  const isFast = new Function('object', 'return %HasFastProperties(object)')
  ${prepare}
  let last
  const http = createServer((request, response) => {
    request.resume().on('end', () => response.end('{}', () => (last = [isFast(request), isFast(response)])))
  })
  http.listen(0, '127.0.0.1', async () => {
    for (let count = 0; count < 12; count++) {
      collect()
      collect()
      await fetch('http://127.0.0.1:' + http.address().port, { method: 'POST', body: '{}' }).then((answer) => answer.text())
    }
    console.log(JSON.stringify(last))
    process.exit()
  })`

const lastIsFast = (prepare: string): unknown =>
  JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', server(prepare)], { encoding: 'utf8' }))

test('requests and responses stay fast objects, whatever is collected during the start', () => {
  assert.deepEqual(lastIsFast(''), [false, false], 'without it, V8 makes dictionaries of them')
  assert.deepEqual(lastIsFast('keepHiddenClasses()'), [true, true])
})
