/** What the document's title needs of the root's data; typed loosely because every route's matches differ. */
type Matches = readonly ({ id: string; loaderData?: unknown } | undefined)[]

/** Title of a screen: «Candidatas · Señorita Azahares 2025». */
export function tituloDePagina(pantalla: string | undefined, matches: Matches): string {
  const root = matches.find((match) => match?.id === 'root')?.loaderData as
    | { edicion: { nombre: string; anio: number } }
    | undefined
  const sitio = root ? `${root.edicion.nombre} ${root.edicion.anio}` : undefined
  return [pantalla, sitio].filter((part) => part !== undefined).join(' · ')
}
