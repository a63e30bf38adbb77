import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HostUnresolved, OutboundDenied } from '#provider/engine/outboundGuard.ts'
import { refuseUncallable } from './hookAddress.ts'

const rejecting = (error: Error) => () => Promise.reject(error)

test('an address that the guard denies is refused, and says so at its field', async () => {
  await assert.rejects(refuseUncallable('https://10.0.0.1/', rejecting(new OutboundDenied())), {
    fault: 'badRequest',
    attributes: {
      issues: [
        {
          path: 'url',
          message: 'may not be called: it must be https, lead to a public address, and name no port that is not open',
        },
      ],
    },
  })
})

test('a name without an address now is taken, and a bug stays a bug', async () => {
  await refuseUncallable('https://not-yet.example.com/', rejecting(new HostUnresolved()))
  await assert.rejects(refuseUncallable('https://a.example/', rejecting(new TypeError('bug'))), TypeError)
})
