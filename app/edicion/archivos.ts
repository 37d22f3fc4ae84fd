/** The files of an edition: what they may be, where their path leads, for browser and server. */

/** What an edition's file is, by its content. */
export type TipoDeArchivo = keyof typeof LUGARES

/** Folder and extension in the edition's paths. */
const LUGARES = {
  'image/jpeg': { carpeta: 'fotos', extension: 'jpg' },
  'image/png': { carpeta: 'logos', extension: 'png' },
  'image/svg+xml': { carpeta: 'logos', extension: 'svg' },
  'video/mp4': { carpeta: 'videos', extension: 'mp4' },
  'video/webm': { carpeta: 'videos', extension: 'webm' },
  'text/vtt': { carpeta: 'videos', extension: 'vtt' },
  'application/pdf': { carpeta: 'documentos', extension: 'pdf' },
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': {
    carpeta: 'documentos',
    extension: 'docx',
  },
} as const

/** Hex digits of the sha256 that stand in a path. */
const CIFRAS_EN_RUTA = 12

/** Path in the edition of a file that came in through the panel: it names the bytes. */
export function rutaDeArchivo(tipo: TipoDeArchivo, sha256: string): string {
  const { carpeta, extension } = LUGARES[tipo]
  return `${carpeta}/${sha256.slice(0, CIFRAS_EN_RUTA)}.${extension}`
}

const RUTA = new RegExp(
  `^(?:${[...new Set(Object.values(LUGARES).map(({ carpeta }) => carpeta))].join('|')})/([0-9a-f]{${CIFRAS_EN_RUTA}})\\.[a-z]+$`,
)

/** The beginning of the sha256 that a path names; undefined for a path that somebody gave a file by hand. */
export const cifrasDeRuta = (ruta: string): string | undefined => RUTA.exec(ruta)?.[1]

/** Type of a file of content/ by its name, which the build has checked; undefined for one that no edition holds. */
export function tipoDeRuta(ruta: string): TipoDeArchivo | undefined {
  const extension = ruta.slice(ruta.lastIndexOf('.') + 1).replace('jpeg', 'jpg')
  return (Object.keys(LUGARES) as TipoDeArchivo[]).find((tipo) => LUGARES[tipo].extension === extension)
}
