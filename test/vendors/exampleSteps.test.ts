import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProviderId } from '#contract/providerIds.ts'
import { exampleInput, exampleNow } from '#provider/engine/exampleRequests.ts'
import { requestsWithReplies } from '#provider/engine/requestsWithReplies.ts'
import { examplesOf } from '#providers/examples/all.ts'
import { providers } from '#providers/index.ts'
import { vendors } from './all.ts'
import { gotOf } from './gotOf.ts'

for (const [id, vendor] of Object.entries(vendors)) {
  const provider = providers[id as ProviderId]!
  test(`${id} finds nothing wrong with the requests of the examples, those of later steps included`, () => {
    for (const example of examplesOf(id)) {
      const built = requestsWithReplies(id, provider, exampleInput(example), example.replies)
      const requests = 'skipped' in built ? [] : built.requests
      for (const request of requests.filter(({ url }) => vendor.hosts.test(new URL(url).host))) {
        const { key, payload } = vendor.check(gotOf(request), exampleNow)
        assert.deepEqual([...key, ...payload], [], `${example.title}: ${request.method} ${request.url}`)
      }
    }
  })
}
