import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepHiddenClasses, keptTick } from './hiddenClasses.ts'

test('an object of process.nextTick stays alive, with all of its properties', async () => {
  keepHiddenClasses()
  await new Promise((resolve) => process.nextTick(resolve, 'argument'))
  const names = Reflect.ownKeys(keptTick.resource ?? {}).map(String)
  assert.ok(names.includes('callback') && names.includes('args'), `Node's ticks have ${names.join(', ')}`)
})
