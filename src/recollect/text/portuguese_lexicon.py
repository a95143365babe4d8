"""Everyday Portuguese words and phrases with their English translations."""

from typing import Final

#: English, then the Portuguese words for it, without accents; inflected forms are matched by stem.
PORTUGUESE_CONCEPTS: Final = """
i: eu | me: me mim comigo | my: meu minha meus minhas | you: voce voces tu te ti vc contigo
your: seu sua seus suas teu tua | he: ele | she: ela | they: eles elas | we: nos gente conosco
our: nosso nossa nossos nossas | his: dele | her: dela | their: deles delas
this: este esta isto esse essa isso | that: aquele aquela aquilo que | the: o a os as | a: um uma uns umas
and: e | or: ou | but: mas porem | if: se | because: porque pois | of: de do da dos das
in: em no na nos nas num numa dentro | on: sobre | to: para pra pro ao aos ate | with: com | without: sem
by: por pelo pela pelos pelas | from: desde | between: entre | against: contra | at: as
near: perto proximo | far: longe distante distancia | after: depois apos | before: antes | during: durante
when: quando | where: onde aonde | who: quem | what: qual quais | how: como | how many: quantos quantas
how much: quanto quanta | why: porque | not: nao | no: nenhum nenhuma | never: nunca jamais | always: sempre
still: ainda | already: ja | also: tambem | only: so somente apenas | very: muito muita
many: muitos muitas | more: mais | less: menos | too much: demais | almost: quase | hardly: mal
again: novamente | all: todo toda todos todas tudo | some: algum alguma alguns algumas | each: cada
other: outro outra outros outras | same: mesmo mesma | something: algo | someone: alguem | nothing: nada
nobody: ninguem | here: aqui | there: la ali ai | now: agora | then: entao | today: hoje | yesterday: ontem
tomorrow: amanha | day: dia dias | week: semana | weekend: fim-de-semana | month: mes meses | year: ano
hour: hora horas | minute: minuto | morning: manha matinal | afternoon: tarde | night: noite noturno
evening: noitinha | midnight: meia-noite | noon: meio-dia | early: cedo | late: atrasado atraso
soon: logo breve | monday: segunda segunda-feira | tuesday: terca terca-feira
wednesday: quarta quarta-feira | thursday: quinta quinta-feira | friday: sexta sexta-feira
saturday: sabado | sunday: domingo | january: janeiro | february: fevereiro | march: marco | april: abril
may: maio | june: junho | july: julho | august: agosto | september: setembro | october: outubro
november: novembro | december: dezembro | spring: primavera | summer: verao | autumn: outono
winter: inverno | season: estacao temporada | birthday: aniversario | wedding: casamento bodas
marry: casar casei casou casado casada | party: festa | christmas: natal | easter: pascoa
holiday: feriado ferias | vacation: ferias | date: data encontro | age: idade
old: velho velha antigo antiga idoso | young: jovem | new: novo nova novos novas | one: um | two: dois duas
three: tres | four: quatro | five: cinco | six: seis | seven: sete | eight: oito | nine: nove | ten: dez
twenty: vinte | thirty: trinta | hundred: cem cento | two hundred: duzentos | thousand: mil
half: metade meio meia | first: primeiro primeira | second: segundo | last: ultimo ultima passado passada
next: proximo proxima vem | seventies: setenta | family: familia familiar | relatives: parentes parente
mother: mae mamae | father: pai papai | parents: pais | son: filho | daughter: filha
children: filhos criancas | child: crianca | boy: menino garoto guri rapaz | girl: menina garota moca
baby: bebe nenem | twins: gemeos gemeas | brother: irmao mano | sister: irma mana | siblings: irmaos
husband: marido esposo | wife: esposa mulher | partner: companheiro companheira parceiro parceira
boyfriend: namorado | girlfriend: namorada | fiance: noivo noiva | grandmother: avo vovo-a vo
grandfather: avo vovo | grandson: neto neta | uncle: tio | aunt: tia | cousin: primo prima
nephew: sobrinho | niece: sobrinha | father-in-law: sogro | in-laws: sogros | mother-in-law: sogra
brother-in-law: cunhado | sister-in-law: cunhada | friend: amigo amiga amigos | neighbour: vizinho vizinha
single: solteiro solteira | divorced: divorciado separado | pregnant: gravida gravidez gestante
born: nascer nasci nasceu nascido nascimento | die: morrer morreu morte falecer | man: homem | woman: mulher
people: pessoas povo | person: pessoa | name: nome | called: chama chamado chamo chamar | adult: adulto
body: corpo | head: cabeca | headache: enxaqueca | hair: cabelo | eye: olho | eyesight: visao vista
glasses: oculos | nose: nariz | mouth: boca | tooth: dente | teeth: dentes | dentist: dentista
throat: garganta | neck: pescoco | shoulder: ombro | back: costas | arm: braco | hand: mao maos
wrist: pulso | finger: dedo | leg: perna | knee: joelho | foot: pe | feet: pes | heart: coracao cardiaco
heart attack: infarto enfarte | stomach: estomago barriga | skin: pele | bone: osso | blood: sangue
voice: voz | height: altura estatura | tall: alto alta | weight: peso | weigh: pesar pesa
kilos: quilos quilo kg | size: tamanho numero | left: esquerdo esquerda | right: direito direita
left-handed: canhoto canhota | health: saude | healthy: saudavel | sick: doente | illness: doenca
disease: enfermidade | pain: dor dores | hurt: doer doi doem machucar machuquei | injury: lesao ferimento
injured: lesionado ferido | break: quebrar quebrei quebrou | fever: febre | flu: gripe
cold: resfriado frio | cough: tosse | sneeze: espirrar espirro | allergy: alergia
allergic: alergico alergica | dust: poeira po | swell: inchar incha | diabetes: diabetes | pressure: pressao
cancer: cancer | medicine: remedio medicamento | drug: droga | pill: comprimido | vaccine: vacina
vaccinated: vacinado imunizacao | measles: sarampo | doctor: medico medica doutor doutora
nurse: enfermeiro enfermeira | hospital: hospital | pharmacy: farmacia | surgery: cirurgia operacao
therapy: terapia | psychologist: psicologo psicologa | patient: paciente | appointment: consulta
diet: dieta regime | sleep: dormir durmo dorme sono | awake: acordado
wake up: acordar acordo acorda despertar | tired: cansado cansada | stress: estresse
smoke: fumar fumo fuma | cigarette: cigarro | alcohol: alcool | drink: beber bebo bebe bebida
eat: comer como come comi comia | food: comida alimento alimentos alimentar | meal: refeicao refeicoes
breakfast: cafe-da-manha | lunch: almoco almocar | dinner: jantar janta ceia | snack: lanche
cook: cozinhar cozinha cozinho culinaria gastronomia | kitchen: cozinha | recipe: receita
chef: chef cozinheiro | restaurant: restaurante | bar: bar | bakery: padaria | bread: pao paes
pasta: macarrao massa | rice: arroz | beans: feijao feijoada | meat: carne | beef: bife
chicken: frango galinha | pork: porco | fish: peixe | seafood: marisco | egg: ovo ovos | cheese: queijo
milk: leite | butter: manteiga | vegetable: legume legumes verdura vegetais
vegetarian: vegetariano vegetariana | vegan: vegano vegana | fruit: fruta | apple: maca | orange: laranja
banana: banana | lemon: limao | strawberry: morango | grape: uva | tomato: tomate | potato: batata
onion: cebola | garlic: alho | carrot: cenoura | salad: salada | soup: sopa | sauce: molho | salt: sal
sugar: acucar | sweet: doce | chocolate: chocolate | cake: bolo | dessert: sobremesa
ice cream: sorvete gelado | coffee: cafe | tea: cha | water: agua | juice: suco | wine: vinho
beer: cerveja | peanut: amendoim | nut: noz castanha | gluten: gluten | basil: manjericao
cilantro: coentro | parsley: salsinha | pepper: pimenta | cinnamon: canela | ginger: gengibre | honey: mel
mushroom: cogumelo cogumelos | cucumber: pepino | eggplant: berinjela | cabbage: repolho | spinach: espinafre
lettuce: alface | corn: milho | avocado: abacate | pineapple: abacaxi | coconut: coco | peach: pessego
shrimp: camarao camaroes | tuna: atum | cod: bacalhau | ham: presunto | sausage: linguica salsicha
yogurt: iogurte | soy: soja | olive: azeitona azeitonas | olive oil: azeite | pizza: pizza | candy: bala balas
like: gostar gosto gosta | spicy: picante | taste: sabor paladar | hungry: fome faminto | thirsty: sede
organic: organico organicos | home: casa lar | house: casa | apartment: apartamento apto | flat: apartamento
room: quarto | living room: sala | bedroom: dormitorio | bathroom: banheiro | door: porta | window: janela
wall: parede | roof: telhado teto | floor: chao piso andar | stairs: escada | garden: jardim horta quintal
balcony: varanda sacada | garage: garagem | key: chave | furniture: movel moveis | table: mesa
chair: cadeira | bed: cama cabeceira | sofa: sofa | lamp: lampada | fridge: geladeira | stove: fogao
oven: forno | washing machine: maquina-de-lavar lavadora | wash: lavar | machine: maquina aparelho
clean: limpar limpo limpeza | dirty: sujo suja sujas | rent: aluguel alugar
landlord: proprietario senhorio | owner: dono dona | move: mudar mudei mudou mudanca troquei
live: morar moro mora vivo viver | address: endereco | street: rua | block: quadra quarteirao
building: predio edificio | leak: vazar vaza pinga pingar goteira
repair: consertar conserto reparo arrumar | paint: pintar pintei pintou pintamos | colour: cor cores
red: vermelho | blue: azul | green: verde | light: luz claro | yellow: amarelo | black: preto
white: branco | grey: cinza | brown: marrom | pink: rosa | dark: escuro
work: trabalho trabalhar trabalha trabalhei servico | job: emprego vaga trabalho | profession: profissao
career: carreira | position: cargo posicao | boss: chefe patrao patroa | manager: gerente gestor
colleague: colega | team: time equipe | employee: funcionario empregado | employer: empregador
company: empresa firma companhia | office: escritorio | business: negocio negocios | meeting: reuniao
interview: entrevista | salary: salario remuneracao | net: liquido | earn: ganhar ganho ganha
raise: aumento aumentar aumentou | hire: contratar | fire: demitir demitido
retire: aposentar aposentadoria | unemployed: desempregado | engineer: engenheiro engenheira
lawyer: advogado advogada | teacher: professor professora | accountant: contador contadora
writer: escritor escritora autor autora | bank: banco | police: policia | nurse: enfermagem
astronaut: astronauta | volunteer: voluntario voluntaria | poor: pobre pobres | help: ajudar ajuda ajudo
flower shop: floricultura | flower: flor flores | school: escola colegio | grade: serie ano-escolar
university: universidade faculdade | degree: diploma graduacao | master's: mestrado
thesis: tese dissertacao | study: estudar estudo estudos estuda | student: aluno estudante
learn: aprender aprendo aprendi aprendendo | teach: ensinar ensinou ensina | exam: prova exame | test: teste
course: curso | class: aula | law: direito lei | scholarship: bolsa-de-estudos bolsa | book: livro
read: ler leio lendo leitura | write: escrever escrevo escrita | page: pagina | language: idioma lingua
tongue: lingua | word: palavra | english: ingles | portuguese: portugues | german: alemao
spanish: espanhol | french: frances | statistics: estatistica | mathematics: matematica | history: historia
science: ciencia | biography: biografia | novel: romance | news: noticia | letter: carta
message: mensagem recado | answer: resposta responder | question: pergunta | money: dinheiro grana
pay: pagar pago paga bancar quitar | price: preco | cost: custar custo custa | expensive: caro cara
cheap: barato | bill: conta contas boleto | spend: gastar gasto gastos | expense: despesa
save: economizar economia juntar juntando poupar guardar | savings: poupanca | debt: divida
owe: dever devo deve devendo | loan: emprestimo | lend: emprestar emprestou
credit card: cartao-de-credito cartao | credit: credito | instalment: parcela parcelado prestacao
tax: imposto impostos | down payment: entrada | buy: comprar comprei compra compro comprou
purchase: compra compras | sell: vender vendi vendeu | shop: loja comprar | store: loja
market: mercado feira | supermarket: supermercado | gift: presente | receive: receber recebi ganhei
give: dar dei deu doar doei | donate: doar doei | inherit: herdar herdei heranca | free: gratis graca livre
euro: euros | dollar: dolar | split: dividir dividimos repartir repartimos
travel: viajar viagem viajo viajei | trip: viagem passeio | outing: passeio programa
go: ir vou vai vamos fui foi indo | come: vir venho veio | arrive: chegar cheguei chegou
leave: sair saio sai saiu partir | return: voltar volto voltei | abroad: exterior fora-do-pais
country: pais | city: cidade | town: cidade | village: vila aldeia | beach: praia | sea: mar oceano
mountain: montanha serra | river: rio | lake: lago | island: ilha | forest: floresta mata | park: parque
zoo: zoologico | museum: museu | hotel: hotel | airport: aeroporto | plane: aviao | flight: voo
fly: voar voo | ticket: passagem bilhete ingresso | seat: assento lugar sentar poltrona
passport: passaporte | document: documento | luggage: mala bagagem | train: trem comboio | station: estacao
bus: onibus autocarro | car: carro automovel | vehicle: veiculo automovel
drive: dirigir dirijo guiar conduzir | motorbike: moto motocicleta | bicycle: bicicleta bike
ride: andar ando pedalar | wheel: roda rodas | truck: caminhao | boat: barco | road: estrada
traffic: transito | commute: trajeto deslocar desloco | accident: acidente | reserve: reservar reserva
book: reservar | map: mapa | cancel: cancelar cancelado | kilometre: quilometros quilometro km
animal: animal bicho | pet: bicho-de-estimacao estimacao mascote | dog: cachorro cachorra cao cadela
cat: gato gata | bird: passaro ave | horse: cavalo | cow: vaca | rabbit: coelho
adopt: adotar adotamos adotei | shelter: abrigo | feed: alimentar | plant: planta plantar planto
grow: cultivar crescer | tree: arvore | weather: clima tempo | rain: chuva chover chove | sun: sol
snow: neve nevar | wind: vento | storm: tempestade temporal | hot: quente calor | cold: frio fria
sport: esporte desporto | exercise: exercicio atividade-fisica malhar | train: treinar treina treino
gym: academia ginasio | run: correr corro corre corrida | swim: nadar nado natacao
walk: caminhar caminhada andar | football: futebol | volleyball: volei | club: clube
support: torcer torco apoiar | match: partida jogo | game: jogo | play: jogar jogo joga brincar
play music: tocar toco toca | win: vencer venci | lose: perder perdi perdeu | loss: perda | poker: poquer
chess: xadrez | yoga: ioga | meditate: meditar meditacao | music: musica musical | song: cancao
sing: cantar canto | choir: coral coro | church: igreja | religious: religioso religiosos religiao
instrument: instrumento | guitar: violao guitarra | piano: piano | cello: violoncelo | violin: violino
drums: bateria | orchestra: orquestra | dance: dancar danca | film: filme | movie: filme cinema
horror: terror horror | watch: assistir ver vejo vimos veriamos | television: televisao tv | series: seriado
theatre: teatro | photo: foto fotografia | draw: desenhar desenho | art: arte
hobby: passatempo hobby lazer | collect: colecionar coleciono colecao | record: disco discos | vinyl: vinil
toy: brinquedo | fun: diversao divertido | clock: relogio | watch: relogio | jewel: joia
clothes: roupa roupas | shoes: sapato sapatos tenis calcado | wear: vestir calcar calco usar
dress: vestido | shirt: camisa | trousers: calca | coat: casaco | hat: chapeu
phone: telefone celular telemovel | mobile: celular | call: ligar liguem ligacao telefonar
computer: computador | laptop: notebook portatil | screen: tela ecra | cracked: trincada rachado
battery: bateria | internet: internet rede | connection: conexao rede ligacao | website: site
email: e-mail email correio | password: senha | login: acesso acessos | database: banco-de-dados
data: dados informacoes | file: arquivo ficheiro | code: codigo | program: programa programar programo | error: erro
bug: defeito | defect: defeito | fear: medo pavor temor | afraid: medo | scare: assustar assusta
happy: feliz alegre | sad: triste tristeza | cry: chorar chorei | angry: bravo raiva irritado
love: amar amo adoro adorar amor | favourite: preferido preferida favorito favorita coracao
prefer: preferir prefiro prefere | hate: odiar odeio odeia detesto detestar
stand: suportar suporto aguentar | miss: saudade saudades | worry: preocupar preocupado preocupacao
hope: esperar esperanca | expect: esperar esperando espera | dream: sonhar sonho sonha
want: querer quero quer queria | need: precisar preciso precisa | goal: meta objetivo
plan: plano planejar planejo | promise: prometer prometi promessa | decide: decidir decidi decisao
choose: escolher escolhi escolhemos | think: pensar penso pensando achar acho
know: saber sei sabe conhecer conheco | believe: acreditar | remember: lembrar lembro
forget: esquecer esqueci | understand: entender compreender | feel: sentir sinto | say: dizer digo disse
tell: contar conta | speak: falar falo fala | talk: conversar converso conversa papo
discuss: discutir discuto debater | argue: brigar brigo discutir | quarrel: briga brigar
politics: politica | ask: perguntar pedir peco | suggest: sugerir sugere sugestao
recommend: recomendar recomenda indicacao indicar | show: mostrar mostrou | do: fazer faco faz fiz fez feito
make: fazer | have: ter tenho tem tinha temos tive
be: ser estar sou sao estou esta estao era foi ficou ficar | can: poder posso pode consigo conseguir
start: comecar comecei comeca iniciar entrou | finish: terminar terminei acabar concluir conclui
stop: parar parei parou | quit: largar larguei desistir abandonar abandonei | give up: desistir abandonei
continue: continuar continuam | try: tentar tento | use: usar uso usa utilizar
keep: guardar guardo guarda manter deixar deixo | find: achar encontrar encontrei
look for: procurar procuro procura busca | lost: perdido sumiu | disappear: sumir sumiu desaparecer
take: tomar tomo tomaram levar pegar | take medicine: tomo | bring: trazer | carry: carregar
lift: levantar levantando | put: colocar por | open: abrir abro | close: fechar fecha | locked: trancado
spare: reserva extra | meet: encontrar reunir reune | happen: acontecer aconteceu | wait: esperar aguardar
care: cuidar cuida | change: mudar mudanca trocar | become: virar virei tornar | noise: barulho ruido
problem: problema | trouble: problema encrenca | thing: coisa | way: maneira forma jeito modo
reason: motivo razao | place: lugar | routine: rotina ritual | habit: habito costume
usually: costumo costuma geralmente | sort: tipo | kind: tipo especie | good: bom boa bem | bad: ruim mau ma
better: melhor | best: melhor | worst: pior | big: grande | small: pequeno pequena
long: comprido comprida longo longa extensao | short: curto curta baixo | heavy: pesado peso | strong: forte
weak: fraco | fast: rapido | slow: devagar lento | easy: facil | difficult: dificil
beautiful: bonito linda lindo | ugly: feio | true: verdade | false: falso | important: importante
deep: funda fundo profundo | high: alto altura | low: baixo | alone: sozinho sozinha
together: juntos juntas | electric: eletrico eletrica | used: usado usada | box: caixa
get stuck: travar travei trava travado | suit: combinar combina | penthouse: cobertura
dining hall: refeitorio | community: comunitario comunidade | suffer: sofrer sofri sofreu
cause: causa causar | take away: tirar tiro tira retirar | sir: senhor | lady: senhora
amateur: amador amadora | song: letra | street: avenida | view: paisagem | rule: regra | group: grupo
list: lista | part: parte | side: lado | end: fim final | middle: meio | top: topo | bottom: fundo embaixo
inside: dentro | outside: fora | above: acima | below: abaixo | front: frente | world: mundo | life: vida
war: guerra | peace: paz | government: governo | president: presidente | election: eleicao | law: lei
right: direito | duty: dever obrigacao | crime: crime | thief: ladrao roubo | steal: roubar roubaram
fire: fogo incendio | fireworks: fogos | danger: perigo | safe: seguro seguranca | insurance: seguro
sound: som | silence: silencio | smell: cheiro | touch: tocar | see: ver | hear: ouvir ouvi escutar
eat out: almocar-fora | order: pedido encomenda | deliver: entregar entrega | package: pacote
post office: correios | bag: bolsa sacola | bottle: garrafa | glass: copo vidro | plate: prato
spoon: colher | fork: garfo | knife: faca | paper: papel | pen: caneta | notebook: caderno
desk: escrivaninha | picture: quadro imagem | camera: camera | printer: impressora | keyboard: teclado
mouse: rato | server: servidor | network: rede | software: programa aplicativo | app: aplicativo
update: atualizar atualizacao | download: baixar | save file: salvar | delete: apagar excluir deletar
copy: copiar copia | test: testar | year: anual | monthly: mensal | daily: diario diariamente
weekly: semanal | sometimes: as-vezes | often: frequentemente | rarely: raramente | recently: recentemente
currently: atualmente | finally: finalmente | suddenly: de-repente | maybe: talvez | probably: provavelmente
certainly: certamente | quickly: rapidamente | exactly: exatamente | begin: inicio comeco
result: resultado | success: sucesso | mistake: engano falha | chance: chance oportunidade | idea: ideia
opinion: opiniao | advice: conselho | example: exemplo | difference: diferenca | reason: razao
purpose: proposito | project: projeto | task: tarefa | deadline: prazo | schedule: agenda horario
contract: contrato | client: cliente | product: produto | service: servico atendimento | quality: qualidade
quantity: quantidade | price list: tabela | discount: desconto | sale: promocao liquidacao
invoice: fatura nota-fiscal | receipt: recibo | payment: pagamento | budget: orcamento
investment: investimento | profit: lucro | interest: juros interesse | stock: estoque acao
wear out: gastar | wet: molhado umido | dry: seco | full: cheio | empty: vazio
broken: quebrado estragado avariado | ready: pronto | busy: ocupado | quiet: quieto calmo
loud: alto barulhento | rich: rico | polite: educado | rude: grosso | funny: engracado
boring: chato tedioso | strange: estranho | serious: serio | nervous: nervoso ansioso
calm: calma tranquilo | anxiety: ansiedade | depression: depressao | anger: raiva | joy: alegria
pride: orgulho | shame: vergonha | jealous: ciume ciumento | guilt: culpa | trust: confianca confiar
lie: mentira mentir | secret: segredo | surprise: surpresa | kiss: beijo | hug: abraco
smile: sorriso sorrir | laugh: rir riso | joke: piada | fight: luta briga | hair cut: corte | beard: barba
makeup: maquiagem | shower: banho chuveiro | soap: sabao sabonete | towel: toalha | toothbrush: escova
mirror: espelho | sheet: lencol | pillow: travesseiro | blanket: cobertor | curtain: cortina
carpet: tapete | candle: vela | trash: lixo | tool: ferramenta | hammer: martelo | drill: furadeira
nail: prego unha | shoulder bag: bolsa | umbrella: guarda-chuva | scarf: cachecol | glove: luva
belt: cinto | ring: anel alianca | tie: gravata | suit: terno | skirt: saia | boots: bota botas
sandals: sandalia | pyjamas: pijama | swimsuit: maio biquini | climb: subir subo escalar
fall: cair cai caiu queda | jump: pular saltar | throw: jogar-fora atirar | push: empurrar | pull: puxar
guitarist: guitarrista | singer: cantor cantora | actor: ator atriz | painter: pintor | musician: musico
waiter: garcom | driver: motorista | pilot: piloto | soldier: soldado | farmer: agricultor fazendeiro
fisherman: pescador | baker: padeiro | butcher: acougueiro | hairdresser: cabeleireiro | mechanic: mecanico
electrician: eletricista | plumber: encanador | architect: arquiteto | designer: designer
journalist: jornalista | scientist: cientista | researcher: pesquisador | programmer: programador
developer: desenvolvedor | salesperson: vendedor | secretary: secretaria
"""

#: Phrases, and words that differ from others only in their accent.
PORTUGUESE_PHRASES: Final = """
o que = what | a que = what | do que = than | de que = what | em que = in which | com que = with which
para que = for what | por que = why | por causa de = because of | por causa do = because of the
por causa da = because of the | para onde = where to | de onde = where from | há quanto tempo = how long
quanto tempo = how long | a que horas = at what time | com quem = with whom | de quem = whose
todo dia = every day | todos os dias = every day | toda noite = every evening | todas as = every
fim de semana = weekend | fins de semana = weekends | a gente = we | lá em casa = at home
máquina de lavar = washing machine | banco de dados = database | ficção científica = science fiction
cartão de crédito = credit card
imposto de renda = income tax | dor de cabeça = headache | meio a meio = half and half | de graça = for free
bicho de estimação = pet | animal de estimação = pet | café da manhã = breakfast | fora do país = abroad
anos setenta = seventies | ao lado = next door | por mês = a month | por dia = a day | que vem = next
chave reserva = spare key | é = is | és = are | está = is | estás = are | à = to the | às = on | há = ago
só = only | dá = gives | vê = sees | têm = have | avó = grandmother | avô = grandfather | pôr = put
já = already | falar comigo = talk to me | por favor = please | para fora = out | em dia = up to date
sou = am | estou = am | são = are | estão = are | estamos = we are | tenho = i have | tem = has
temos = we have | teve = had | tive = i had | vou = i go | vai = goes | vamos = we go | foi = was
era = was | posso = i can | pode = can | quero = i want | quer = wants | faço = i do | faz = does
fiz = i did | fico = i stay | ficou = became
"""
