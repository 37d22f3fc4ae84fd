import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Returns whether a folder is a package of `npm run empaquetar`, which is complete: nothing has to be installed or built. */
export const isPackage = (root: string): boolean => existsSync(join(root, 'paquete.json'))

/** Names the commands in a text for the operator as an installed package has them; in a checkout the text stays. */
export const withOwnCommands = (text: string, root: string): string =>
  isPackage(root)
    ? text.replaceAll('npm start', 'certamen').replaceAll(/npm run (?!empaquetar)(\w+)(?:( \[?)-- )?/g, 'certamen $1$2')
    : text
