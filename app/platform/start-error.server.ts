/** Something outside the code stops the site from starting; the message is the one line that the person sees. */
export class StartError extends Error {
  override name = 'StartError'
}

/** @returns the line for a full or unwritable disk, undefined for any other fault */
export function diskFault(error: unknown, folder: string): StartError | undefined {
  const code = (error as NodeJS.ErrnoException | undefined)?.code
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
