import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../prepare.mjs'

/** Runs a Vitest project against a server that a rig has started. @returns the exit code */
export function runVitestProject(project: string, env: Record<string, string>): number {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const options = { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } } as const
  return spawnSync(process.execPath, [vitest, 'run', '--project', project], options).status ?? 1
}
