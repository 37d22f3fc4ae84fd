import { useState } from 'react'
import { DocumentField } from './document-field.tsx'
import styles from './field-showcase.module.css'
import type { PhotoValue } from './file-field-props.ts'
import { LogoField } from './logo-field.tsx'
import { PhotoField } from './photo-field.tsx'
import { VideoField } from './video-field.tsx'

export const meta = () => [{ title: 'Muestrario de archivos' }]

/** Every file field, for developers signed in as an organiser; the screen exists in development only. */
export default function Muestra() {
  const [photo, setFoto] = useState<PhotoValue>({ foto: 'inicio/ga1.jpg', alt: '', foco: [50, 50] })
  const [empty, setVacia] = useState<PhotoValue>({ foto: '', alt: '', foco: [50, 50] })
  const [logo, setLogo] = useState('patrocinadores/cafe-serrano.svg')
  const [video, setVideo] = useState('inicio/fondo.mp4')
  const [document, setDocumento] = useState('convocatoria/boletin.docx')
  const aspectRatios = { telefono: 4 / 5, escritorio: 16 / 9 }
  return (
    <div className={styles.muestra}>
      <h1>Muestrario de archivos</h1>
      <section>
        <h2>Fotografía puesta, chica</h2>
        <PhotoField
          id="foto"
          valor={photo}
          onCambio={setFoto}
          descriptor={{ etiqueta: 'Primera fotografía', minimoAncho: 3_000, proporciones: aspectRatios }}
        />
      </section>
      <section>
        <h2>Sin fotografía</h2>
        <PhotoField
          id="vacia"
          valor={empty}
          onCambio={setVacia}
          descriptor={{ etiqueta: 'Segunda fotografía', minimoAncho: 1_200, proporciones: aspectRatios }}
        />
      </section>
      <section>
        <h2>Logotipo</h2>
        <LogoField id="logo" valor={logo} onCambio={setLogo} descriptor={{ etiqueta: 'Café Serrano' }} />
      </section>
      <section>
        <h2>Video</h2>
        <VideoField
          id="video"
          valor={video}
          onCambio={setVideo}
          descriptor={{ etiqueta: 'Video de la portada', tipos: ['video/mp4'] }}
          onCartel={({ ruta }) => setVacia({ ...empty, foto: ruta })}
        />
      </section>
      <section>
        <h2>Documento</h2>
        <DocumentField id="documento" valor={document} onCambio={setDocumento} descriptor={{ etiqueta: 'Boletín' }} />
      </section>
      <output id="valores">{JSON.stringify({ foto: photo, vacia: empty, logo, video, documento: document })}</output>
    </div>
  )
}
