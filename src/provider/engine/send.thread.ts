import { runApart } from '#kit/apart.ts'
import { openSender, type SendOptions, type SendRequest, type SendResult } from './send.ts'

runApart<SendOptions, Parameters<SendRequest>, SendResult>((options) => {
  const send = openSender(options)
  return { answer: (call) => send(...call), close: send.close }
})
