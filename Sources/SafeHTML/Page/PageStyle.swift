/// How our pages look: a system font, a measure that can be read, light and dark as the reader has it, and paper.
///
/// Mail sets widths for a desktop's window: on a narrow one they give way. Pictures that are slices of one lie against
/// each other, as in the mode for old pages that browsers have and ours does not use. No box of a mail's is narrower than
/// what it holds, and what we say of a link has all of its look from here (`contrib/safe-marks` looks at both).
enum PageStyle {
  static let sheet = """
    :root{color-scheme:light dark;--ink:#1c1c1e;--dim:#6b6b70;--line:#dcdce0;--ground:#f6f6f7;--sheet:#fff;\
    --link:#0b57c4;--warn:#8a3b00;--warn-ground:#fff3e0}
    @media (prefers-color-scheme:dark){:root{--ink:#e8e8ea;--dim:#9b9ba1;--line:#3a3a3e;--ground:#161618;\
    --sheet:#1f1f22;--link:#7ab0ff;--warn:#ffc680;--warn-ground:#3a2a14}}
    *{box-sizing:border-box}
    html{-webkit-text-size-adjust:100%}
    body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",\
    Roboto,Cantarell,"Noto Sans","DejaVu Sans",sans-serif}
    body>header,main{max-width:54rem;margin:0 auto;padding:0 1rem}
    body>header h1{font-size:1.4rem;line-height:1.3;margin:1.5rem 0 1rem;overflow-wrap:anywhere}
    article,details.message{background:var(--sheet);border:1px solid var(--line);border-radius:10px;\
    margin:0 0 .75rem;padding:1rem 1.25rem 1.25rem}
    details.message:not([open]){padding:.6rem 1.25rem}
    summary{cursor:pointer}
    details.message>summary{list-style:none}
    details.message>summary::-webkit-details-marker{display:none}
    details.message[open]>summary .snippet{display:none}
    .line{display:flex;justify-content:space-between;gap:1rem;align-items:baseline}
    .line b{overflow-wrap:anywhere}
    .date,.snippet,.head,.note,.older,.signature,.attachments span{color:var(--dim);font-size:.875rem}
    .date{white-space:nowrap}
    .snippet{overflow:hidden;white-space:nowrap;text-overflow:ellipsis}
    .head{margin:.15rem 0 1rem;overflow-wrap:anywhere}
    .head span:first-child,.inside span:first-child{display:inline-block;min-width:2.5rem}
    .warning{background:var(--warn-ground);color:var(--warn);border-radius:6px;margin:0 0 .75rem;\
    padding:.5rem .75rem;font-weight:600}
    .warning::before{content:"\\26A0\\FE0E  "}
    .note{margin:.75rem 0 0}
    .note,.warning{overflow-wrap:anywhere}
    .text,.mail{overflow-wrap:break-word;margin:0 0 1rem}
    .text{white-space:pre-wrap;max-width:42rem}
    .text.set{font:.8125rem/1.45 ui-monospace,"SF Mono","DejaVu Sans Mono",Menlo,monospace;max-width:none;\
    overflow-x:auto;tab-size:8}
    .mail{display:flow-root;overflow-x:auto}
    .mail.paper{background:#fff;color:#000;color-scheme:light;border-radius:6px;padding:.75rem}
    .mail [style*="width"]:not(img,table,colgroup,col,thead,tbody,tfoot,tr,td,th){min-width:min-content;\
    overflow-wrap:anywhere}
    .mail td,.mail th{overflow-wrap:break-word}
    .mail rt{font-size:50%!important}
    .mail rt *{font-size:inherit!important}
    .mail img{max-width:100%!important;height:auto}
    .mail td img:not([align]){vertical-align:bottom}
    .mail td:has(>img){height:auto!important}
    .mail table{max-width:100%}
    .mail:not(.paper) table{border-color:var(--line)}
    .mail pre{white-space:pre-wrap;font-size:.8125rem}
    .mail>p,.mail>div>p{max-width:46rem}
    .mail blockquote{border-left:3px solid var(--line);margin:.5rem 0;padding-left:.9rem}
    .mail p:first-child{margin-top:0}
    a{color:var(--link)}
    .paper a{color:#0b57c4}
    a.mirror-elsewhere{white-space:normal!important;margin:0!important}
    a.mirror-elsewhere br{display:none}
    a.mirror-elsewhere *{display:inline!important;white-space:normal!important;margin:0!important;\
    padding:0!important;font-size:inherit!important}
    a.mirror-elsewhere .mirror-image{font-size:.875rem!important}
    a.mirror-elsewhere img{max-height:3em!important}
    .mirror-leads{all:initial;display:inline-block;position:relative;z-index:1;margin:0 .25em;padding:0 .3em;\
    border:1px solid #b3261e;border-radius:4px;background:#fff;color:#b3261e;font:600 12px/1.35 system-ui,\
    -apple-system,"Segoe UI",Roboto,Cantarell,"Noto Sans","DejaVu Sans",sans-serif;max-width:30rem;\
    overflow-wrap:break-word;unicode-bidi:isolate;direction:ltr}
    .mirror-image{display:inline-block;max-width:100%;line-height:1.35;text-align:left;border:1px dashed;\
    border-radius:4px;padding:0 .35em;color:#5f5f64;background:rgba(255,255,255,.9);\
    font-size:.875rem}
    details.mirror-quote{margin:.25rem 0 1rem}
    details.mirror-quote>summary{color:var(--dim);font-size:.875rem}
    details.mirror-quote>summary:empty::after{content:"Quoted text"}
    .paper details.mirror-quote>summary{color:#6b6b70}
    details.mirror-quote[open]{border-left:3px solid var(--line);padding-left:.9rem}
    .inside{border-left:3px solid var(--line);padding-left:.9rem;margin:0 0 1rem;font-size:.9375rem}
    .attachments{list-style:none;margin:0;padding:.75rem 0 0;border-top:1px solid var(--line)}
    .attachments li{padding:.1rem 0;overflow-wrap:anywhere}
    .attachments em{color:var(--warn);font-style:normal;font-weight:600}
    @media (max-width:40rem){.line{display:block}article,details.message{padding:.75rem .9rem}\
    details.message:not([open]){padding:.6rem .9rem}\
    body>header,main{padding:0 .5rem}.mail.paper{padding:.4rem}.mail table,.mail col,.mail td,.mail th,.mail div,\
    .mail p{width:auto!important;min-width:0!important;max-width:100%!important;height:auto!important}\
    .mail td,.mail th{white-space:normal!important}}
    @media print{:root{--ink:#000;--dim:#444;--ground:#fff;--sheet:#fff;--line:#bbb;--link:#000;--warn:#000;\
    --warn-ground:#fff;color-scheme:light}body{font-size:11pt}article,details.message{border:0;padding:0 0 1rem}\
    body>header,main{max-width:none;padding:0}.mail,.text.set{overflow:visible}details.message:not([open]){display:none}\
    .attachments,.line{break-inside:avoid}}
    """
}
