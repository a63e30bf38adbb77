/** The result of one check. `message`: what was found, for the operator. */
export type CheckResult = { name: string; ok: boolean; message: string }

/** Runs one check. Its message is the returned text, or the message of the thrown error. */
export async function runCheck(name: string, run: () => string | Promise<string>): Promise<CheckResult> {
  try {
    return { name, ok: true, message: await run() }
  } catch (problem) {
    return { name, ok: false, message: problem instanceof Error ? problem.message : 'failed' }
  }
}
