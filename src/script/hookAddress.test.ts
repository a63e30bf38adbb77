import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HostUnresolved, OutboundDenied } from '#provider/engine/outboundGuard.ts'
import { requireCallableAddress } from './hookAddress.ts'
import { addressRefused } from './vetAddress.ts'

const rejecting = (error: Error) => () => Promise.reject(error)

test('an address that the guard denies is refused with an issue at its field', async () => {
  await assert.rejects(requireCallableAddress('https://10.0.0.1/', rejecting(new OutboundDenied())), {
    fault: 'badRequest',
    attributes: {
      issues: [
        {
          path: 'url',
          message: addressRefused,
        },
      ],
    },
  })
})

test('a name without an address is accepted, and an unexpected error is thrown on', async () => {
  await requireCallableAddress('https://not-yet.example.com/', rejecting(new HostUnresolved()))
  await assert.rejects(requireCallableAddress('https://a.example/', rejecting(new TypeError('bug'))), TypeError)
})
