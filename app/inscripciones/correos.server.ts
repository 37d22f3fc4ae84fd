import type { Carta } from '#app/correo/schema.ts'

/** A costume's registration is stored: what its designer follows it with. */
export const cartaDeInscripcion = (folio: string): Carta => ({
  kind: 'inscripcion',
  palabras: ({ nombre, anio }, sitio) => ({
    subject: `Recibimos tu registro de traje típico para ${nombre} ${anio}`,
    preheader: `Tu folio es ${folio}. Guárdalo: con él ves cómo va tu registro.`,
    titulo: 'Recibimos tu registro',
    cuerpo: [
      {
        parrafo: `Los datos y los archivos de tu traje típico ya están con el comité de ${nombre} ${anio}.`,
      },
      { dato: 'Tu folio es', valor: folio },
      {
        parrafo:
          'Con él puedes ver qué recibimos y cómo va tu registro. Si el comité necesita un documento otra vez, ahí mismo lo subes:',
      },
      { enlace: `${sitio}/folio#${folio}`, rotulo: 'Consultar mi folio' },
    ],
    nota: 'El folio es personal: quien lo tenga puede ver el estado de tu registro. Si no registraste un traje, ignora este correo.',
  }),
})

/** A document of an entry is asked for again: which, what is wrong with it, and the folio to send it by. */
export const cartaDeDocumento = ({
  documento,
  nota,
  folio,
}: {
  documento: string
  nota: string
  folio: string
}): Carta => ({
  kind: 'documento',
  palabras: ({ nombre, anio }, sitio) => ({
    subject: `Necesitamos un documento de tu registro para ${nombre} ${anio}`,
    preheader: `Sube otra vez: ${documento}.`,
    titulo: 'Falta un documento',
    cuerpo: [
      { parrafo: `Para seguir con tu registro necesitamos que subas otra vez: ${documento}.` },
      { parrafo: nota },
      { dato: 'Tu folio es', valor: folio },
      { parrafo: 'Con él subes sólo ese archivo; lo demás ya lo tenemos:' },
      { enlace: `${sitio}/folio#${folio}`, rotulo: 'Subir el documento' },
    ],
    nota: 'Recibes este correo porque diste esta dirección al registrarte. Si no fuiste tú, ignóralo.',
  }),
})
