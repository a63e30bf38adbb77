import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameOwnCommand, ownCommand } from './ownCommand.ts'

test('hints name the npm script in a checkout, npx when it runs the package, and else the installed command', () => {
  assert.equal(nameOwnCommand('/srv/aglet/src/kit/ownCommand.ts', 'exec'), 'npm run -s aglet --')
  assert.equal(nameOwnCommand('/opt/lib/node_modules/aglet/lib/kit/ownCommand.js', 'exec'), 'npx aglet')
  assert.equal(nameOwnCommand('/opt/lib/node_modules/aglet/lib/kit/ownCommand.js', undefined), 'aglet')
  assert.equal(ownCommand, 'npm run -s aglet --')
})
