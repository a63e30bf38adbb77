import { runApart } from '#kit/apart.ts'
import { type Answer, makeSend, type SendOptions, type SendRequest } from './send.ts'

runApart<SendOptions, Parameters<SendRequest>, Answer>((options) => {
  const send = makeSend(options)
  return { answer: (call) => send(...call), close: send.close }
})
