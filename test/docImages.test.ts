import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const images = globSync('docs/images/*', { cwd: root })
const named = ['README.md', 'docs/dashboard.md', 'docs/shopify.md'].flatMap((page) => {
  const folder = page.startsWith('docs/') ? 'docs/' : ''
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, path]) => folder + path)
})

test('the pictures of the docs are at most fourteen, each is at most 150 kB, and each is shown', () => {
  assert.ok(images.length > 0 && images.length <= 14)
  for (const image of images) assert.ok(statSync(join(root, image)).size <= 150_000, image)
  assert.deepEqual([...new Set(named)].sort(), images.sort())
})

test('each picture has a light and a dark form', () => {
  const forms = Map.groupBy(images, (image) => image.replace(/-(light|dark)\.webp$/, ''))
  for (const [name, files] of forms) assert.equal(files.length, 2, name)
})
