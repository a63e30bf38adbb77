import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameOwnCommand, ownCommand } from './ownCommand.ts'

test('hints name the npm script in a checkout, npx when it runs the package, and else the installed command', () => {
  assert.equal(nameOwnCommand(true, 'exec'), 'npm run -s aglet --')
  assert.equal(nameOwnCommand(false, 'exec'), 'npx aglet')
  assert.equal(nameOwnCommand(false, undefined), 'aglet')
  assert.equal(ownCommand, 'npm run -s aglet --')
})
