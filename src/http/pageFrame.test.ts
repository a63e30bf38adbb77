import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { frameStyle } from './pageFrame.ts'

test('pages without script have the colours of the dashboard', () => {
  const theme = readFileSync(new URL('../dashboard/window/style/theme.css', import.meta.url), 'utf8')
  const colours = frameStyle.match(/--[a-z-]+: light-dark\([^)]+\)/g) ?? []
  assert.ok(colours.length > 10)
  for (const colour of colours) assert.ok(theme.includes(`${colour};`), colour)
})
