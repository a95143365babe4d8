"""Phrases of the triage in Portuguese."""

from recollect.domain.reason import ReasonCode
from recollect.text.languages.language import TriagePhrases

TRIAGE = TriagePhrases(
    fillers={
        ReasonCode.GREETING: """
        oi, oie, olá, opa, eai, e aí, bom dia, boa tarde, boa noite, alô, salve, fala aí, bem-vindo,
        bem-vinda, bem-vindo de volta, seja bem-vindo, seja bem-vinda, prazer, muito prazer,
        prazer em conhecer, prazer em te conhecer, prazer em conhecê-lo, prazer em conhecê-la, quanto tempo,
        há quanto tempo, bom te ver, que bom te ver, bom ver você, feliz ano novo, feliz natal, boas festas,
        boas, feliz aniversário, parabéns, viva, ora viva, bons dias, voltei, estou de volta, tô de volta
    """,
        ReasonCode.SMALL_TALK: """
        tudo bem, tudo bom, tudo certo, tudo joia, tudo ótimo, tudo tranquilo, td bem, como vai,
        como vai você, como você está, como você tá, como cê tá, como estás, como está, como tá,
        como estão as coisas, como foi seu dia, como foi o seu dia, como foi o teu dia, como anda,
        como andam as coisas, beleza aí, e você, e tu, e contigo, e com você, tudo bem com você,
        tudo bem com vocês, tudo bem contigo, como vão vocês, e vocês, tudo bem por aí, estou bem, tô bem,
        eu estou bem, vou bem, estou ótimo, estou ótima, tudo bem por aqui, na mesma, o que você faz,
        quem é você, quem és tu, qual é o seu nome, qual o seu nome, qual seu nome, qual é o teu nome,
        qual é seu nome, o que você sabe fazer, você é um robô, você é humano, está aí, você está aí, tá aí,
        tem alguém aí, conta uma piada, me conta uma piada, conte uma piada, quais as novidades, novidades,
        o que conta de novo, o que há de novo, qual é a boa, tenho uma dúvida, tenho uma pergunta,
        posso perguntar uma coisa, posso te perguntar uma coisa, uma pergunta, uma dúvida, teste, testando,
        isso é um teste, isto é um teste, testando 1 2 3
    """,
        ReasonCode.THANKS: """
        obrigado, obrigada, obg, brigado, brigada, brigadão, obrigadão, muito obrigado, muito obrigada, valeu,
        vlw, valeu mesmo, agradeço, agradecido, agradecida, grato, grata, gratidão, muito grato, muito grata,
        eu agradeço, agradeço muito, agradeço a ajuda, obrigado por tudo, obrigada por tudo, pela ajuda,
        por ajudar, por me ajudar, pela sua ajuda, pela tua ajuda, pela explicação, pela dica, pelas dicas,
        pela resposta, por isso, por tudo, desde já, ajudou muito, me ajudou muito, ajudou bastante,
        isso ajuda, isso ajudou, você é demais, você é o melhor, você é a melhor, és o maior, de coração
    """,
        ReasonCode.COURTESY: """
        desculpa, desculpe, me desculpe, desculpe-me, foi mal,
        perdão, com licença, de nada, por nada, imagina, não há de quê, não tem de quê, disponha, às ordens,
        sem problema, sem problemas, não tem problema, não faz mal, não se preocupe, tranquilo,
        fica tranquilo, boa sorte, bom trabalho, bom apetite, saúde, muito bem, meus parabéns, que bom,
        que bom saber, fico feliz, fico feliz em ajudar, fico feliz em saber, fico feliz em ter ajudado,
        feliz em ajudar, posso ajudar, como posso ajudar, como posso te ajudar, como posso ajudá-lo,
        como posso ajudá-la, em que posso ajudar, em que posso te ajudar, no que posso ajudar,
        como posso ser útil, posso ajudar em algo mais, posso ajudar com mais alguma coisa,
        precisa de mais alguma coisa, mais alguma coisa, se precisar de algo,
        se precisar de mais alguma coisa, se precisar é só chamar, é só chamar, é só perguntar, estou aqui,
        estou aqui para ajudar, estou à disposição, fico à disposição, qualquer coisa, qualquer dúvida,
        me avise, é só avisar, espero ter ajudado, espero que ajude, boa pergunta, ótima pergunta,
        excelente pergunta
    """,
        ReasonCode.ACKNOWLEDGEMENT: """
        ok, tá, tá bom, tá bem, tá certo, tá ok, está bem, está bom, está certo, certo, certinho, beleza, blz,
        belê, fechado, combinado, feito, pronto, entendi, entendido, percebi, compreendi, compreendo, entendo,
        saquei, captei, sei, eu sei, já sei, claro, claro que sim, lógico, com certeza, sem dúvida, exato,
        exatamente, isso, isso mesmo, isso aí, é isso, é isso aí, é isso mesmo, isso é verdade, é verdade,
        verdade, pois é, pois, pois bem, concordo, de acordo, faz sentido, parece bom, me parece bom,
        parece ótimo, parece-me bem, soa bem, ótimo, ótima, bom, boa, bem, legal, que legal, muito legal,
        bacana, massa, show, show de bola, top, maneiro, fixe, giro, perfeito, perfeita, excelente,
        maravilha, maravilhoso, incrível, sensacional, fantástico, interessante, que interessante, nossa,
        uau, caramba, puxa, poxa, eita, opa, ah, ah sim, ah tá, hum, hmm, aham, uhum, ahã, né, pode ser,
        pode, pode sim, tanto faz, sei lá, não sei, não faço ideia, talvez, quem sabe, depende,
        você que sabe, vamos, vamos lá, bora, bora lá, vamos nessa, vamos começar, pode começar,
        pode continuar, pode seguir, pode mandar, manda ver, continua, continue, continuar, prossiga, segue,
        siga, próximo, próxima, mais, de novo, outra vez, mais uma vez, tenta de novo, tente de novo,
        tenta outra vez, tente novamente, faz de novo, anotado, recebido, ciente, um momento, um instante,
        só um momento, só um minuto, só um segundo, peraí, pera, espera, espera aí, espere, calma,
        deixa eu ver, deixa eu pensar, deixa eu pensar um pouco, me conta mais, conta mais, conte mais,
        fale mais, tudo ok, por mim tudo bem, por mim tudo certo, sem pressa
    """,
        ReasonCode.RESOLVED_DOUBT: """
        deixa, deixa pra lá, deixa para lá, deixa quieto, esquece, esqueça, já resolvi, resolvi, consegui,
        já consegui, resolvido, já está resolvido, está resolvido, deu certo, agora deu certo, agora foi,
        funcionou, agora funcionou, agora funciona, já funciona, está funcionando, tá funcionando,
        já está funcionando, agora entendi, agora percebi, achei, encontrei, já achei, já encontrei,
        descobri, não precisa mais, não preciso mais, já entendi, já percebi, tirou minha dúvida,
        tirou a minha dúvida
    """,
        ReasonCode.FAREWELL: """
        tchau, tchauzinho, adeus, até, até logo, até mais, até mais tarde, até já, até breve, até amanhã,
        até depois, até a próxima, até segunda, até à próxima, te vejo depois, nos vemos depois,
        a gente se vê, a gente se fala, nos falamos, falamos depois, fui, flw, falou, falows, abraço,
        abraços, um abraço, beijo, beijos, bjs, um beijo, beijinhos, se cuida, cuide-se, fique bem, fica bem,
        bom descanso, bom fim de semana, boa semana, ótima semana, ótimo dia, tenha um bom dia,
        tenha um ótimo dia, tenha uma boa noite, tenha uma boa tarde, tenha uma ótima noite, um bom dia,
        uma boa noite, durma bem, dorme bem, bons sonhos, boa viagem, tenho que ir, preciso ir, vou indo,
        já volto, volto já, é só isso, só isso, era só isso, por hoje é só, por enquanto é só, é tudo,
        é tudo por hoje
    """,
        ReasonCode.YES_OR_NO: """
        sim, não, s, n, ss, nn, sim senhor, sim senhora, não obrigado, não obrigada,
        claro que não, com certeza não, acho que sim, acho que não, eu acho que sim, eu acho que não,
        creio que sim, creio que não, espero que sim, espero que não, talvez sim, talvez não, ainda não,
        agora não, nem um pouco, de jeito nenhum, nunca na vida, é sim, não é, sou sim, não sou, tenho sim,
        não tenho, quero sim, não quero, por que não, os dois, as duas, nenhum, nenhuma, nenhum dos dois,
        todos, todas, tudo
    """,
        ReasonCode.LAUGHTER: "lol, rsrs, rs, kk, que engraçado, engraçado, muito engraçado, morri, tô rindo, que piada",
    },
    connectives="""
    por favor, pfv, pf, se faz favor, por gentileza, e, muito, mesmo, então, agora, hoje, também, aí, lá,
    viu, né, mas, só, pra, todos, todo mundo, pessoal, gente, galera, amigo, amiga, amigos, meu amigo,
    minha amiga, cara, mano, brother, moço, moça, senhor, senhora, doutor, doutora, querido, querida,
    meu querido, minha querida, meu bem, você, a todos, a todas, por enquanto, por aqui, por aí, novamente,
    de novo, katherine
""",
    remarks={
        ReasonCode.WEATHER: (
            """
        tempo, clima, chovendo, chuva, chover, chove, sol, ensolarado, nublado, calor, frio, neve, nevando,
        vento, ventando, céu, temperatura, friozinho, quente, abafado, garoa
        """,
            """
        o, a, um, uma, que, está, tá, faz, fazendo, bom, boa, ruim, lindo, linda, ótimo, ótima, horrível,
        péssimo, feio, bonito, agradável, gostoso, maravilhoso, muito, muita, tão, bem, hoje, aqui, lá, fora,
        dia, manhã, tarde, noite, né, é, de, demais, agora, esse, essa, este, azul, limpo, ainda, pouco,
        mais, menos, com, hein, e, vai, ficou, estava, parece, bastante
        """,
        ),
        ReasonCode.ACKNOWLEDGEMENT: (
            """
        bom, boa, ótimo, ótima, legal, bacana, incrível, maravilhoso, maravilhosa, lindo, linda, perfeito,
        perfeita, excelente, interessante, fofo, fofa, divertido, útil, verdade, certo, correto, fascinante,
        impressionante
        """,
            """
        que, isso, isto, foi, é, está, tá, ficou, ficaram, muito, muita, tão, parece, uma, um, o, a, ideia,
        ideias, resposta, pergunta, explicação, sugestão, dica, dicas, notícia, trabalho, realmente, mesmo,
        demais, super, bem, coisa
        """,
        ),
    },
    question_openings="""
    o que é, o que são, o que foi, o que era, o que significa, o que quer dizer, o que é que é, que é, qual é,
    qual a, qual o, qual foi, qual era, quais são, quais as, quais os, quais foram, quem é, quem foi,
    quem era, quem são, quem inventou, quem descobriu, quem escreveu, quem pintou, quem ganhou, quem criou,
    quem fundou, quando foi, quando nasceu, quando morreu, em que ano, em que país, onde fica, onde nasceu,
    para que serve, pra que serve, quantos países, quantos habitantes, quantos anos tem, qual a diferença,
    sabe o que é, você sabe o que é, você sabe quem foi, sabe quem foi, me diz o que é, me diga o que é,
    me diga quem foi, me fala o que é, pode me dizer o que é, pode me dizer quem foi, explica o que é,
    explique o que é, me explica o que é, me explique o que é
""",
    definition_openings="""
    defina, define, definir, definição de, a definição de, significado de, o significado de,
    qual o significado de, qual é o significado de, sinônimo de, sinônimos de, antônimo de, como se escreve,
    como escreve, o que rima com
""",
    translation_openings="""
    traduza, traduz, traduzir, traduza-me, me traduz, me traduza, traduz-me, pode traduzir, poderia traduzir,
    você pode traduzir, podes traduzir, consegue traduzir, preciso traduzir, me ajuda a traduzir,
    como se diz, como é que se diz, como digo, como eu digo, como dizer, como se fala, como fala, como falar,
    como se pronuncia, tradução de, a tradução de, qual a tradução de, qual é a tradução de
""",
    conversion_openings="""
    converta, converte, converter, pode converter, quantos, quantas, quanto é, quanto são, quanto dá, calcule,
    calcula, calcular
""",
    one_unit_phrases="em um, em uma, em 1, há num, há numa, tem num, tem numa, tem um, tem uma",
    possessives="meu, minha, meus, minhas, nosso, nossa, nossos, nossas",
    personal_words="""
    eu, me, mim, comigo, nós, nos, gente, conosco, connosco, você, vocês, tu, te, ti, contigo, teu, tua,
    teus, tuas, seu, sua, seus, suas, ele, ela, eles, elas, dele, dela, deles, delas, isso, isto, esse, essa,
    este, esses, essas, estes, estas, aquilo, aquele, aquela, aqui, aí, acima, abaixo, errado, ontem, hoje,
    amanhã, prazo, senha, plano, agenda, reunião, orçamento, erro, bug, problema, cliente, projeto, projecto,
    equipe, equipa, time, repositório, melhor
""",
    statement_verbs="é, são, foi, era, eram, está, estão",
    keep_phrases="""
    meu projeto, meus projetos, nosso projeto, nossos projetos, meu projecto, nosso projecto, meu app,
    nosso app, meu aplicativo, nosso aplicativo, minha aplicação, nossa aplicação, minha startup,
    minha empresa, nossa empresa, meu negócio, nosso código, meu código, nosso repositório, meu repositório,
    nosso produto, nosso time, nossa equipe, minha equipe, nossa equipa, minha equipa, nosso banco de dados,
    nossa api, nosso backend, nosso frontend, stack, arquitetura, arquitectura, arquitetural,
    decidi, decidimos, eu decidi, nós decidimos, a gente decidiu, foi decidido, ficou decidido, está decidido,
    tomei a decisão, tomamos a decisão, minha decisão, nossa decisão, escolhi, escolhemos, optei, optamos,
    combinamos, ficou combinado, vamos usar, vamos utilizar, estamos usando, usamos, utilizamos,
    passamos a usar, passei a usar, mudei para, mudamos para, migramos, estamos migrando, vamos migrar,
    prefiro, preferimos, eu prefiro, a gente prefere, minha preferência, nossa preferência, meu favorito,
    minha favorita, meu preferido, minha preferida, eu gosto, gosto de, gosto muito, não gosto, adoro, amo,
    odeio, detesto, não suporto, evito, não como, não bebo,
    nunca, eu nunca, eu sempre, nós sempre, sempre use, sempre usar, sempre uso, use sempre, usar sempre,
    sempre escreva, sempre responda, responda sempre, a partir de agora, a partir de hoje, daqui pra frente,
    daqui para frente, daqui em diante, de agora em diante, de hoje em diante, daqui para a frente,
    nossa regra, nossa convenção, regra da casa, a regra é, requisito obrigatório, nosso prazo, meu prazo,
    o prazo é,
    alérgico a, alérgica a, sou alérgico, sou alérgica, tenho alergia, minha alergia, alergia a,
    intolerante a, tenho intolerância, sou vegetariano, sou vegetariana, sou vegano, sou vegana, sou celíaco,
    sou celíaca, sou diabético, sou diabética, tenho diabetes, tenho asma,
    meu nome é, o meu nome é, me chamo, chamo-me, eu me chamo, pode me chamar, me chame de, me chama de,
    podes chamar-me, meu nome completo, meu sobrenome, meu apelido, meu aniversário, minha idade, nasci em,
    eu nasci, nasci no, nasci na, meu email, meu e-mail, meu telefone, meu endereço, minha morada, sou,
    eu sou, moro em, moro no, moro na, moro com, eu moro, morei em, vivo em, vivo com, cresci em, cresci no,
    cresci na, trabalho na, trabalho no, trabalho em, trabalho como, trabalho com, trabalho para,
    trabalhei na, trabalhei no, trabalhei como, meu trabalho, meu emprego, meu chefe, minha chefe,
    minha profissão, estudo na, estudo no, estudei na, estudei no, estou estudando, estou a estudar,
    minha faculdade, minha esposa, minha mulher, meu marido, meu namorado, minha namorada, meu noivo,
    minha noiva, meu companheiro, minha companheira, meu filho, minha filha, meus filhos, minhas filhas,
    meu bebê, minha mãe, meu pai, meus pais, meu irmão, minha irmã, minha avó, meu avô, minha família,
    meu cachorro, minha cachorra, meu cão, meu gato, minha gata, meu melhor amigo, minha melhor amiga,
    meu médico, minha médica, meu terapeuta, minha terapeuta, minha casa, meu apartamento, meu carro,
    quero aprender, eu quero aprender, quero ser, quero me tornar, quero virar, quero construir, quero criar,
    quero mudar, quero emagrecer, quero parar de, quero economizar, gostaria de aprender, estou aprendendo,
    estou a aprender, pretendo, planejo, planeio, estou planejando, estamos planejando, meu plano é,
    minha meta, minhas metas, meu objetivo, meus objetivos, nosso objetivo, meu sonho, estou construindo,
    estamos construindo, estou desenvolvendo, estamos desenvolvendo, estou trabalhando, estamos trabalhando,
    estou me preparando, minha tese, meu tcc, minha prova, meu exame, meu casamento, minha entrevista,
    minha consulta, minha cirurgia, meu voo, minha viagem,
    fui demitido, fui demitida, fui despedido, fui despedida, me demiti, perdi o emprego, perdi meu emprego,
    pedi demissão, fui promovido, fui promovida, consegui um emprego, consegui o emprego, arranjei emprego,
    mudei de emprego, me aposentei, me formei, formei-me, casei, me casei, nos casamos, vou casar,
    vou me casar, fiquei noivo, fiquei noiva, me divorciei, me separei, terminamos, terminei com,
    estou grávida, vou ser pai, vou ser mãe, estamos esperando, nasceu meu, nasceu minha, nasceu o meu,
    nasceu a minha, nasceu nosso, nasceu nossa, faleceu, fui diagnosticado, fui diagnosticada, fiz cirurgia,
    fui operado, fui operada, parei de fumar, adotei, adotamos, comprei um, comprei uma, compramos um,
    compramos uma, vendi meu, vendi minha, me mudei, mudei-me, nos mudamos, eu me mudei, mudei de casa,
    vou me mudar, estou me mudando, vou mudar para, vamos nos mudar,
    lembre-se, lembre que, lembra que, lembra-te, lembre de, se lembre, não esqueça, não se esqueça,
    não esquece, não te esqueças, guarde que, guarda isso, guarde isso, anote que, anota aí, tenha em mente,
    leve em conta, para referência futura, fico ansioso, fico ansiosa, estou ansioso, estou ansiosa,
    ando ansioso, ando ansiosa, tenho medo, sofro de, sofro com, me estressa, me deixa ansioso,
    me deixa ansiosa
""",
    keep_exceptions="""
    nunca vi, nunca ouvi, nunca pensei, nunca soube, nunca na vida, sou sim, não sou, quem sou eu,
    quem eu sou, sou todo ouvidos, sou toda ouvidos, adoro isso, amo isso, gosto disso, gosto muito disso,
    não gosto disso, adorei, te amo, amo você, adoro você, eu gosto disso, sou um modelo de linguagem,
    sou uma ia, sou uma inteligência artificial
""",
)
