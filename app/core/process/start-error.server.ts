import { errorCode } from './durable-files.server.ts'

/**
 * Thrown if a cause outside the code keeps the site, or a command, from its work. Its Spanish message is all that the operator sees.
 */
export class StartError extends Error {
  override name = 'StartError'
}

/** Explains a full or unwritable disk, or a path that is no folder. @returns undefined for any other error */
export function diskFault(error: unknown, folder: string): StartError | undefined {
  const code = errorCode(error)
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new StartError(`No queda espacio en el disco de ${folder}. Libera espacio y vuelve a ejecutar npm start.`)
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new StartError(
      `No se puede escribir en ${folder}. Da permiso de escritura o elige otra carpeta con DATA_DIR.`,
    )
  if (code === 'ENOTDIR' || code === 'EEXIST')
    return new StartError(`${folder} no es una carpeta. Elige otra con DATA_DIR.`)
  return undefined
}

/** Explains why the site cannot listen on a host and port. @returns undefined for any other error */
export function listenFault(code: string | undefined, port: number, host: string): StartError | undefined {
  if (code === 'EADDRINUSE')
    return new StartError(
      `El puerto ${port} está ocupado. Detén el programa que lo usa o elige otro con PORT=3001 npm start.`,
    )
  if (code === 'EACCES')
    return new StartError(`No hay permiso para abrir el puerto ${port}. Elige uno mayor que 1023 con PORT.`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartError(`HOST=${host} no es una dirección de esta máquina. Usa 127.0.0.1 o 0.0.0.0.`)
  return undefined
}
