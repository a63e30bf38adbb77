import type { FastifyInstance } from 'fastify'
import { openTestRun, type RunTest, type TestRunDeps } from '#delivery/testRun.ts'
import { openSender } from '#provider/engine/send.ts'

/**
 * Sends test events from this thread: they are few. `sender`: the options of the worker's sender, so that the guard is the
 * same.
 */
export function openControlTestRun(
  app: FastifyInstance,
  sender: Parameters<typeof openSender>[0],
  deps: Omit<TestRunDeps, 'send' | 'random'>,
): RunTest {
  const send = openSender(sender)
  app.addHook('onClose', () => send.close())
  return openTestRun({ ...deps, send, random: Math.random })
}
