import hooks, { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Lets the test runner find the test to which a callback belongs by an AsyncLocalStorage. The runner's own way is a hook that
 * follows every promise until it is collected, which takes more CPU time than the tests themselves. `scripts/test.ts` imports
 * this ahead of the runner in each process; threads do not need it, and other users of hooks get Node's own.
 */
type Init = (asyncId: number, type: string, triggerAsyncId: number, resource: object) => void

const { AsyncResource, createHook, executionAsyncId } = hooks
const testIds = new AsyncLocalStorage<number>()
let addTest: Init | undefined

/** The runner derives its tests from this class. */
class TestResource extends AsyncResource {
  constructor(type: string) {
    super(type)
    addTest?.(this.asyncId(), type, 0, this)
  }
  override runInAsyncScope<This, Args extends unknown[], Result>(
    work: (this: This, ...args: Args) => Result,
    self?: This,
    ...args: Args
  ): Result {
    return super.runInAsyncScope(() => testIds.run(this.asyncId(), () => Reflect.apply(work, self as This, args)))
  }
}

function createTestHook({ init }: { init: Init }) {
  addTest = init
  return { enable() {}, disable() {} }
}

Object.assign(hooks, {
  AsyncResource: TestResource,
  createHook: createTestHook,
  executionAsyncId: () => testIds.getStore() ?? executionAsyncId(),
})
await import('node:test') // takes these three when it is loaded
Object.assign(hooks, { AsyncResource, createHook, executionAsyncId })
