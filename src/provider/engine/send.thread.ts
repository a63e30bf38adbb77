import { serveRpc } from '#kit/rpcWorker.ts'
import { openSender, type SendOptions, type SendRequest, type SendResult } from './send.ts'

serveRpc<SendOptions, Parameters<SendRequest>, SendResult>((options) => {
  const send = openSender(options)
  return { answer: (call) => send(...call), close: send.close }
})
