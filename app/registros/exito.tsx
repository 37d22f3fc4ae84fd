import { type Ref, useEffect, useState } from 'react'
import { Banner } from '#app/ui/banner.tsx'
import { Button, buttonLook } from '#app/ui/button.tsx'
import { direccionesDe } from '#app/ui/compartir-direcciones.ts'
import { Enlace } from '#app/ui/enlace.tsx'
import { IconoDescargar, IconoWhatsApp } from '#app/ui/iconos.tsx'
import styles from './exito.module.css'
import { MENSAJES } from './schema.ts'

interface Props {
  folio: string
  /** What happens next. */
  texto: string
  /** Takes the focus, and so the person, once it is in. */
  ref?: Ref<HTMLDivElement>
}

/** A registration is in: its folio, and the ways to keep it. */
export const Exito = ({ folio, texto, ref }: Props) => (
  <div className={styles.exito}>
    <Banner tone="good" message={MENSAJES.exito} {...(ref ? { ref } : {})}>
      <p>{texto}</p>
      <p className={styles.folio}>
        Tu folio: <strong>{folio}</strong>
      </p>
      <Guardar key={folio} folio={folio} />
      <p>
        Guárdalo: con él <Enlace to={`/folio#${folio}`}>consultas cómo va tu registro</Enlace>.
      </p>
    </Banner>
  </div>
)

/** All of this is of this device: without its script the folio stands there, to be written down. */
function Guardar({ folio }: { folio: string }) {
  const [origin, setOrigin] = useState<string>()
  /** Without TLS there is no clipboard. */
  const [hasClipboard, setHasClipboard] = useState(false)
  const [isCopied, setIsCopied] = useState(false)
  const [picture, setPicture] = useState<string | 'en-curso' | 'falla'>()
  useEffect(() => {
    setOrigin(window.location.origin)
    setHasClipboard(navigator.clipboard !== undefined)
  }, [])
  if (!origin) return null
  const copy = () =>
    void navigator.clipboard.writeText(folio).then(
      () => setIsCopied(true),
      // Refused: it stands above, to be written down.
      () => setHasClipboard(false),
    )
  const draw = async () => {
    if (picture === 'en-curso') return
    setPicture('en-curso')
    try {
      const { drawFolio } = await import('./folio-dibujado.client.ts')
      const { keepPicture } = await import('#app/ui/guardar-imagen.client.ts')
      const dibujo = await drawFolio(folio, new URL(origin).host)
      setPicture(await keepPicture(dibujo, `folio-${folio}.png`))
    } catch {
      setPicture('falla')
    }
  }
  return (
    <>
      <div className={styles.acciones}>
        <Button look="outline" busy={picture === 'en-curso'} onClick={() => void draw()}>
          <IconoDescargar /> Guardar imagen
        </Button>
        <a
          className={buttonLook('outline')}
          href={
            direccionesDe(`Mi folio es ${folio}. Aquí veo cómo va mi registro:`, `${origin}/folio#${folio}`).whatsapp
          }
          target="_blank"
          rel="noopener noreferrer"
        >
          <IconoWhatsApp /> Enviarme por WhatsApp
        </a>
        {hasClipboard && (
          <Button look="outline" onClick={copy}>
            {isCopied ? 'Folio copiado' : 'Copiar folio'}
          </Button>
        )}
      </div>
      {picture === 'falla' && <p>No se pudo dibujar la imagen. Copia el folio o escríbelo: es el que está arriba.</p>}
      {picture?.startsWith('blob:') && (
        <div className={styles.dibujo}>
          <img src={picture} width="1080" height="1080" alt={`Tu folio ${folio} para guardar`} />
          <p>Si no se guardó sola, mantén el dedo sobre la imagen y elige guardarla.</p>
        </div>
      )}
    </>
  )
}
